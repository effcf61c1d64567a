import SealCLI
