public import SealCore
