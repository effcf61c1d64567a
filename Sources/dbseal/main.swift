// The binary: the process's own arguments and streams into the tool.

import SealCLI

Entry.main { EngineFacts(sqlcipher: nil, sqlite: "unknown", crypto: "unknown") }
