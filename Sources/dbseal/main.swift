// The binary: the process's own arguments and streams into the tool.

import SealCLI

Entry.main()
