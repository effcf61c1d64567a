# Made by `dbseal generate completions` from the catalog. Change that instead.

# Names of folders, behind --name= too.
function __dbseal_folders
    set -l word (string replace -r -- '^--[^=]*=' '' (commandline -ct))
    __fish_complete_directories "$word" ''
end

# The option ("place:option") takes a value.
function __dbseal_valued
    switch "$argv"
        case '*:--progress' '*:--color' '*:--busy-timeout' '*:-j' '*:--jobs' '*:--backup' \
            '*:--key-fd' '*:--key-command' '*:--keyring' '*:--key-timeout' '*:--kdf-iter' \
            '*:--hmac-salt-mask' '*:--fast-kdf-iter' '*:--plaintext-header' '*:--salt' \
            '*:--new-key-fd' '*:--new-key-command' '*:--new-keyring' '*:--source-kdf-iter' \
            '*:--source-hmac-salt-mask' '*:--source-fast-kdf-iter' \
            '*:--source-plaintext-header' '*:--source-salt' '*:--sample' \
            '*:--expect-user-version' '*:--expect-application-id' '*:--expect-table' \
            '*:--expect-digest' '*:--against-key-fd' '*:--against-key-command' \
            '*:--against-keyring' '*:--against-kdf-iter' '*:--against-hmac-salt-mask' \
            '*:--against-fast-kdf-iter' '*:--against-plaintext-header' '*:--against-salt' \
            '*:--to' '*:--baseline' '*:--query' '*:--param' '*:--files-from' '*:--resume' \
            '*:--key-file' '*:--try-keys' '*:--new-key-file' '*:--manifest' '*:--report-file' \
            '*:--write-manifest' '*:--against' '*:--against-key-file' '*:-o' '*:--output' \
            '*:--output-dir' 'migrate:--schema' '*:--key-env' '*:--new-key-env' \
            '*:--against-key-env' '*:--keyring-backend' '*:--format' '*:--source-format' \
            '*:--against-format' '*:--page-size' '*:--source-page-size' \
            '*:--against-page-size' '*:--kdf-algorithm' '*:--source-kdf-algorithm' \
            '*:--against-kdf-algorithm' '*:--hmac-algorithm' '*:--source-hmac-algorithm' \
            '*:--against-hmac-algorithm' '*:--hmac-pgno' '*:--source-hmac-pgno' \
            '*:--against-hmac-pgno' '*:--report' '*:--track' '*:--output-format'
            return 0
    end
    return 1
end

# Reads the words before the cursor: into the caller's place, operand and given, where an option
# whose value is at the cursor is not.
function __dbseal_read --no-scope-shadowing
    set -l dashes ''
    set -l value ''
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if test -n "$value"
            set -a given $value
            set value ''
        else if test -n "$dashes"; or not string match -q -- '-?*' $word
            set -l further (string join / -- $place $word)
            switch "$operand$further"
                case encrypt decrypt rekey verify migrate inspect key key/generate key/store key/show \
            key/delete key/list help
                    set place $further
                case '*'
                    set operand ': '
            end
        else if test "$word" = --
            set dashes 1
        else if string match -q -- '--*=*' $word
            set -a given (string replace -r -- '=.*' '' $word)
        else if string match -q -- '--*' $word
            if __dbseal_valued "$place:$word"
                set value $word
            else
                set -a given $word
            end
        else
            set -l letters (string split '' -- (string sub -s 2 -- $word))
            while set -q letters[1]
                if __dbseal_valued "$place:-$letters[1]"; and not set -q letters[2]
                    set value -$letters[1]
                    break
                end
                set -a given -$letters[1]
                __dbseal_valued "$place:-$letters[1]"; and break
                set -e letters[1]
            end
        end
    end
end

# The cursor is in that place.
function __dbseal_at
    set -l place
    set -l operand ''
    set -l given
    __dbseal_read
    test "$place" = "$argv"
end

# The cursor is at the first operand of its place.
function __dbseal_first
    set -l place
    set -l operand ''
    set -l given
    __dbseal_read
    test -z "$operand"
end

# None of these options was given.
function __dbseal_free
    set -l place
    set -l operand ''
    set -l given
    __dbseal_read
    for option in $argv
        contains -- $option $given; and return 1
    end
    return 0
end

# dbseal
complete -c dbseal -n '__dbseal_at ""' -f
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_first' -a encrypt -d 'make an encrypted database of a plaintext one'
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_first' -a decrypt -d 'make a plaintext database of an encrypted one'
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_first' -a rekey -d 'give an encrypted database another key'
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_first' -a verify -d 'check pages, structure, references, content'
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_first' -a migrate -d 'bring a database to another format or schema'
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_first' -a inspect -d 'say what a file is, and what is in it'
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_first' -a key -d 'make keys, and keep them in a key store'
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_first' -a help -d 'show the help of a command'
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_free --json' -l json -d 'one JSON object a line, errors too'
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_free -q --quiet -v --verbose' -s q -l quiet -d 'say nothing but errors'
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_free -q --quiet -v --verbose' -s v -l verbose -d 'say more about what was done'
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_free --progress' -l progress -x -a 'auto always never json' -d 'show progress (default: on a terminal)'
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_free --color' -l color -x -a 'auto always never' -d 'color messages (default: on a terminal)'
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_free --busy-timeout' -l busy-timeout -x -d 'wait that long for a lock (default: 5)'
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_free -j --jobs' -s j -l jobs -x -d 'worker threads (default: one a core)'
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_free -h --help' -s h -l help -d 'show this help and exit'
complete -c dbseal -n '__dbseal_at ""' -n '__dbseal_free --version' -l version -d 'show versions and exit'

# dbseal encrypt
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --files-from' -l files-from -r -F -d 'take the names from a file; - is standard input'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free -0 --null' -s 0 -l null -d 'names end with NUL, as find -print0 has them'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --in-place --output-dir --shred' -l in-place -d 'replace the database itself'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --in-place --output-dir' -l output-dir -x -a '(__dbseal_folders)' -d 'write several outputs into a directory'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --backup' -l backup -x -d 'keep the replaced file under its name + SUFFIX'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free -f --force' -s f -l force -d 'replace a target that exists'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --resume -n --dry-run' -l resume -r -F -d 'go on where a run that was stopped was'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --resume -n --dry-run' -s n -l dry-run -d 'check key, target and space, write nothing'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --in-place --shred' -l shred -d 'then overwrite and remove the plaintext'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring' -l key-file -r -F -d 'read the key from a file; - is standard input'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring' -l key-fd -x -d 'read the key from an open descriptor'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --key-binary' -l key-env -x -a '(set -nx)' -d 'take the key from an environment variable'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring' -l key-command -x -d 'take the key from what a command prints'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --key-binary' -l keyring -x -d 'take the key from this machine\'s key store'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --raw-key --passphrase' -l raw-key -d 'the key is 64, 96 or 160 hex digits'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --create --passphrase --raw-key' -l passphrase -d 'the key is a passphrase, whatever it looks like'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --key-env --key-binary --keyring' -l key-binary -d 'take the bytes of the key as they are'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --allow-open-key-file' -l allow-open-key-file -d 'accept a key file that others can read'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --keyring-backend' -l keyring-backend -x -a 'credentials keychain secret-service kernel' -d 'which key store, and no other'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --key-timeout' -l key-timeout -x -d 'wait that long for the key (default: 120)'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --create --passphrase' -l create -d 'with --keyring: make the key if there is none'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --format' -l format -x -a '1 2 3 4' -d 'format to write (default: 4)'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --page-size' -l page-size -x -a '512 1024 2048 4096 8192 16384 32768 65536' -d 'page size to write (default: the format\'s)'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --kdf-iter' -l kdf-iter -x -d 'rounds of the key derivation'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --kdf-algorithm' -l kdf-algorithm -x -a 'sha1 sha256 sha512' -d 'hash of the key derivation'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --hmac-algorithm' -l hmac-algorithm -x -a 'sha1 sha256 sha512 none' -d 'hash of the page tags'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --hmac-pgno' -l hmac-pgno -x -a 'le be' -d 'byte order of the page number in a tag'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --hmac-salt-mask' -l hmac-salt-mask -x -d 'mask of the salt of the tags\' key (3a)'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --fast-kdf-iter' -l fast-kdf-iter -x -d 'rounds for the tags\' key (default: 2)'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --plaintext-header' -l plaintext-header -x -d 'bytes at the start that stay plain'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --salt' -l salt -x -d 'salt to write (default: random)'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --json' -l json -d 'one JSON object a line, errors too'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free -q --quiet -v --verbose' -s q -l quiet -d 'say nothing but errors'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free -q --quiet -v --verbose' -s v -l verbose -d 'say more about what was done'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --progress' -l progress -x -a 'auto always never json' -d 'show progress (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --color' -l color -x -a 'auto always never' -d 'color messages (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --busy-timeout' -l busy-timeout -x -d 'wait that long for a lock (default: 5)'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free -j --jobs' -s j -l jobs -x -d 'worker threads (default: one a core)'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free -h --help' -s h -l help -d 'show this help and exit'
complete -c dbseal -n '__dbseal_at "encrypt"' -n '__dbseal_free --version' -l version -d 'show versions and exit'

# dbseal decrypt
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --files-from' -l files-from -r -F -d 'take the names from a file; - is standard input'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free -0 --null' -s 0 -l null -d 'names end with NUL, as find -print0 has them'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --in-place --output-dir' -l in-place -d 'replace the database itself'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --in-place --output-dir' -l output-dir -x -a '(__dbseal_folders)' -d 'write several outputs into a directory'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --backup' -l backup -x -d 'keep the replaced file under its name + SUFFIX'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free -f --force' -s f -l force -d 'replace a target that exists'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --resume -n --dry-run' -l resume -r -F -d 'go on where a run that was stopped was'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --resume -n --dry-run' -s n -l dry-run -d 'check key, target and space, write nothing'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --exact --page-size' -l exact -d 'keep page size and reserved bytes'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --exact --page-size' -l page-size -x -a '512 1024 2048 4096 8192 16384 32768 65536' -d 'page size to write (default: the source\'s)'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --try-keys --key-file --key-fd --key-env --key-command --keyring --key-binary' -l try-keys -r -F -d 'try the keys of a file, one a line; - is stdin'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --try-keys' -l key-file -r -F -d 'read the key from a file; - is standard input'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --try-keys' -l key-fd -x -d 'read the key from an open descriptor'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --key-binary --try-keys' -l key-env -x -a '(set -nx)' -d 'take the key from an environment variable'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --try-keys' -l key-command -x -d 'take the key from what a command prints'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --key-binary --try-keys' -l keyring -x -d 'take the key from this machine\'s key store'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --raw-key --passphrase' -l raw-key -d 'the key is 64, 96 or 160 hex digits'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --raw-key --passphrase' -l passphrase -d 'the key is a passphrase, whatever it looks like'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --key-env --key-binary --keyring --try-keys' -l key-binary -d 'take the bytes of the key as they are'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --allow-open-key-file' -l allow-open-key-file -d 'accept a key file that others can read'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --keyring-backend' -l keyring-backend -x -a 'credentials keychain secret-service kernel' -d 'which key store, and no other'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --key-timeout' -l key-timeout -x -d 'wait that long for the key (default: 120)'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --format' -l format -x -a '1 2 3 4' -d 'format to read (default: find out)'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --source-page-size' -l source-page-size -x -a '512 1024 2048 4096 8192 16384 32768 65536' -d 'page size of the source'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --kdf-iter' -l kdf-iter -x -d 'rounds of the key derivation'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --kdf-algorithm' -l kdf-algorithm -x -a 'sha1 sha256 sha512' -d 'hash of the key derivation'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --hmac-algorithm' -l hmac-algorithm -x -a 'sha1 sha256 sha512 none' -d 'hash of the page tags'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --hmac-pgno' -l hmac-pgno -x -a 'le be' -d 'byte order of the page number in a tag'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --hmac-salt-mask' -l hmac-salt-mask -x -d 'mask of the salt of the tags\' key (3a)'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --fast-kdf-iter' -l fast-kdf-iter -x -d 'rounds for the tags\' key (default: 2)'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --plaintext-header' -l plaintext-header -x -d 'bytes at the start that stay plain'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --salt' -l salt -x -d 'salt of a file that does not hold its own'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --json' -l json -d 'one JSON object a line, errors too'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free -q --quiet -v --verbose' -s q -l quiet -d 'say nothing but errors'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free -q --quiet -v --verbose' -s v -l verbose -d 'say more about what was done'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --progress' -l progress -x -a 'auto always never json' -d 'show progress (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --color' -l color -x -a 'auto always never' -d 'color messages (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --busy-timeout' -l busy-timeout -x -d 'wait that long for a lock (default: 5)'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free -j --jobs' -s j -l jobs -x -d 'worker threads (default: one a core)'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free -h --help' -s h -l help -d 'show this help and exit'
complete -c dbseal -n '__dbseal_at "decrypt"' -n '__dbseal_free --version' -l version -d 'show versions and exit'

# dbseal rekey
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --files-from' -l files-from -r -F -d 'take the names from a file; - is standard input'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free -0 --null' -s 0 -l null -d 'names end with NUL, as find -print0 has them'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --in-place --output-dir' -l in-place -d 'replace the database itself'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --in-place --output-dir' -l output-dir -x -a '(__dbseal_folders)' -d 'write several outputs into a directory'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --backup' -l backup -x -d 'keep the replaced file under its name + SUFFIX'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free -f --force' -s f -l force -d 'replace a target that exists'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --resume -n --dry-run' -l resume -r -F -d 'go on where a run that was stopped was'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --resume -n --dry-run' -s n -l dry-run -d 'check key, target and space, write nothing'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring' -l key-file -r -F -d 'read the key from a file; - is standard input'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring' -l key-fd -x -d 'read the key from an open descriptor'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --key-binary' -l key-env -x -a '(set -nx)' -d 'take the key from an environment variable'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring' -l key-command -x -d 'take the key from what a command prints'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --key-binary' -l keyring -x -d 'take the key from this machine\'s key store'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --raw-key --passphrase' -l raw-key -d 'the key is 64, 96 or 160 hex digits'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --raw-key --passphrase' -l passphrase -d 'the key is a passphrase, whatever it looks like'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --key-env --key-binary --keyring' -l key-binary -d 'take the bytes of the key as they are'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --allow-open-key-file' -l allow-open-key-file -d 'accept a key file that others can read'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --keyring-backend' -l keyring-backend -x -a 'credentials keychain secret-service kernel' -d 'which key store, and no other'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --key-timeout' -l key-timeout -x -d 'wait that long for the key (default: 120)'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --new-key-file --new-key-fd --new-key-env --new-key-command --new-keyring' -l new-key-file -r -F -d 'read the key from a file; - is standard input'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --new-key-file --new-key-fd --new-key-env --new-key-command --new-keyring' -l new-key-fd -x -d 'read the key from an open descriptor'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --new-key-file --new-key-fd --new-key-env --new-key-command --new-keyring --new-key-binary' -l new-key-env -x -a '(set -nx)' -d 'take the key from an environment variable'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --new-key-file --new-key-fd --new-key-env --new-key-command --new-keyring' -l new-key-command -x -d 'take the key from what a command prints'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --new-key-file --new-key-fd --new-key-env --new-key-command --new-keyring --new-key-binary' -l new-keyring -x -d 'take the key from this machine\'s key store'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --new-raw-key --new-passphrase' -l new-raw-key -d 'the key is 64, 96 or 160 hex digits'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --new-raw-key --new-passphrase' -l new-passphrase -d 'the key is a passphrase, whatever it looks like'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --new-key-env --new-key-binary --new-keyring' -l new-key-binary -d 'take the bytes of the key as they are'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --format' -l format -x -a '1 2 3 4' -d 'format to write (default: the source\'s)'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --page-size' -l page-size -x -a '512 1024 2048 4096 8192 16384 32768 65536' -d 'page size to write (default: the source\'s)'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --kdf-iter' -l kdf-iter -x -d 'rounds of the key derivation'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --kdf-algorithm' -l kdf-algorithm -x -a 'sha1 sha256 sha512' -d 'hash of the key derivation'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --hmac-algorithm' -l hmac-algorithm -x -a 'sha1 sha256 sha512 none' -d 'hash of the page tags'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --hmac-pgno' -l hmac-pgno -x -a 'le be' -d 'byte order of the page number in a tag'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --hmac-salt-mask' -l hmac-salt-mask -x -d 'mask of the salt of the tags\' key (3a)'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --fast-kdf-iter' -l fast-kdf-iter -x -d 'rounds for the tags\' key (default: 2)'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --plaintext-header' -l plaintext-header -x -d 'bytes at the start that stay plain'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --salt' -l salt -x -d 'salt to write (default: random)'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --source-format' -l source-format -x -a '1 2 3 4' -d 'format to read (default: find out)'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --source-page-size' -l source-page-size -x -a '512 1024 2048 4096 8192 16384 32768 65536' -d 'page size of the source'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --source-kdf-iter' -l source-kdf-iter -x -d 'rounds of the key derivation'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --source-kdf-algorithm' -l source-kdf-algorithm -x -a 'sha1 sha256 sha512' -d 'hash of the key derivation'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --source-hmac-algorithm' -l source-hmac-algorithm -x -a 'sha1 sha256 sha512 none' -d 'hash of the page tags'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --source-hmac-pgno' -l source-hmac-pgno -x -a 'le be' -d 'byte order of the page number in a tag'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --source-hmac-salt-mask' -l source-hmac-salt-mask -x -d 'mask of the salt of the tags\' key (3a)'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --source-fast-kdf-iter' -l source-fast-kdf-iter -x -d 'rounds for the tags\' key (default: 2)'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --source-plaintext-header' -l source-plaintext-header -x -d 'bytes at the start that stay plain'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --source-salt' -l source-salt -x -d 'salt of a file that does not hold its own'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --json' -l json -d 'one JSON object a line, errors too'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free -q --quiet -v --verbose' -s q -l quiet -d 'say nothing but errors'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free -q --quiet -v --verbose' -s v -l verbose -d 'say more about what was done'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --progress' -l progress -x -a 'auto always never json' -d 'show progress (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --color' -l color -x -a 'auto always never' -d 'color messages (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --busy-timeout' -l busy-timeout -x -d 'wait that long for a lock (default: 5)'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free -j --jobs' -s j -l jobs -x -d 'worker threads (default: one a core)'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free -h --help' -s h -l help -d 'show this help and exit'
complete -c dbseal -n '__dbseal_at "rekey"' -n '__dbseal_free --version' -l version -d 'show versions and exit'

# dbseal verify
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --files-from --manifest' -l files-from -r -F -d 'take the names from a file; - is standard input'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free -0 --null' -s 0 -l null -d 'names end with NUL, as find -print0 has them'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --files-from --manifest --against --resume' -l manifest -r -F -d 'check the databases that a fixture manifest lists'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --resume --report' -l report -x -a 'junit tap' -d 'a test report'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --report-file' -l report-file -r -F -d 'write the report to a file'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --resume --write-manifest' -l write-manifest -r -F -d 'write a fixture manifest of what was found'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free -f --force' -s f -l force -d 'replace a manifest that exists'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --resume --manifest --report --write-manifest' -l resume -r -F -d 'go on where a run that was stopped was'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --quick' -l quick -d 'stop after the pages'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --sample' -l sample -x -d 'authenticate a random share of the pages'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --expect-encrypted' -l expect-encrypted -d 'it has to be encrypted'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --expect-user-version' -l expect-user-version -x -d 'the user_version that has to be there'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --expect-application-id' -l expect-application-id -x -d 'the application_id that has to be there'
complete -c dbseal -n '__dbseal_at "verify"' -l expect-table -x -d 'that table has to be there, with so many rows'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --digest' -l digest -d 'compute the content digest'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --expect-digest' -l expect-digest -x -d 'the content digest that has to come out'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --manifest --against' -l against -r -F -d 'compare the content with another database'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --try-keys --key-file --key-fd --key-env --key-command --keyring --key-binary' -l try-keys -r -F -d 'try the keys of a file, one a line; - is stdin'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --try-keys' -l key-file -r -F -d 'read the key from a file; - is standard input'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --try-keys' -l key-fd -x -d 'read the key from an open descriptor'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --key-binary --try-keys' -l key-env -x -a '(set -nx)' -d 'take the key from an environment variable'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --try-keys' -l key-command -x -d 'take the key from what a command prints'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --key-binary --try-keys' -l keyring -x -d 'take the key from this machine\'s key store'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --raw-key --passphrase' -l raw-key -d 'the key is 64, 96 or 160 hex digits'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --raw-key --passphrase' -l passphrase -d 'the key is a passphrase, whatever it looks like'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --key-env --key-binary --keyring --try-keys' -l key-binary -d 'take the bytes of the key as they are'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --allow-open-key-file' -l allow-open-key-file -d 'accept a key file that others can read'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --keyring-backend' -l keyring-backend -x -a 'credentials keychain secret-service kernel' -d 'which key store, and no other'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --key-timeout' -l key-timeout -x -d 'wait that long for the key (default: 120)'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --format' -l format -x -a '1 2 3 4' -d 'format to read (default: find out)'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --page-size' -l page-size -x -a '512 1024 2048 4096 8192 16384 32768 65536' -d 'page size of the source'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --kdf-iter' -l kdf-iter -x -d 'rounds of the key derivation'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --kdf-algorithm' -l kdf-algorithm -x -a 'sha1 sha256 sha512' -d 'hash of the key derivation'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --hmac-algorithm' -l hmac-algorithm -x -a 'sha1 sha256 sha512 none' -d 'hash of the page tags'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --hmac-pgno' -l hmac-pgno -x -a 'le be' -d 'byte order of the page number in a tag'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --hmac-salt-mask' -l hmac-salt-mask -x -d 'mask of the salt of the tags\' key (3a)'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --fast-kdf-iter' -l fast-kdf-iter -x -d 'rounds for the tags\' key (default: 2)'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --plaintext-header' -l plaintext-header -x -d 'bytes at the start that stay plain'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --salt' -l salt -x -d 'salt of a file that does not hold its own'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-key-file --against-key-fd --against-key-env --against-key-command --against-keyring' -l against-key-file -r -F -d 'read the key from a file; - is standard input'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-key-file --against-key-fd --against-key-env --against-key-command --against-keyring' -l against-key-fd -x -d 'read the key from an open descriptor'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-key-file --against-key-fd --against-key-env --against-key-command --against-keyring --against-key-binary' -l against-key-env -x -a '(set -nx)' -d 'take the key from an environment variable'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-key-file --against-key-fd --against-key-env --against-key-command --against-keyring' -l against-key-command -x -d 'take the key from what a command prints'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-key-file --against-key-fd --against-key-env --against-key-command --against-keyring --against-key-binary' -l against-keyring -x -d 'take the key from this machine\'s key store'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-raw-key --against-passphrase' -l against-raw-key -d 'the key is 64, 96 or 160 hex digits'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-raw-key --against-passphrase' -l against-passphrase -d 'the key is a passphrase, whatever it looks like'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-key-env --against-key-binary --against-keyring' -l against-key-binary -d 'take the bytes of the key as they are'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-format' -l against-format -x -a '1 2 3 4' -d 'format to read (default: find out)'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-page-size' -l against-page-size -x -a '512 1024 2048 4096 8192 16384 32768 65536' -d 'page size of the source'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-kdf-iter' -l against-kdf-iter -x -d 'rounds of the key derivation'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-kdf-algorithm' -l against-kdf-algorithm -x -a 'sha1 sha256 sha512' -d 'hash of the key derivation'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-hmac-algorithm' -l against-hmac-algorithm -x -a 'sha1 sha256 sha512 none' -d 'hash of the page tags'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-hmac-pgno' -l against-hmac-pgno -x -a 'le be' -d 'byte order of the page number in a tag'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-hmac-salt-mask' -l against-hmac-salt-mask -x -d 'mask of the salt of the tags\' key (3a)'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-fast-kdf-iter' -l against-fast-kdf-iter -x -d 'rounds for the tags\' key (default: 2)'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-plaintext-header' -l against-plaintext-header -x -d 'bytes at the start that stay plain'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --against-salt' -l against-salt -x -d 'salt of a file that does not hold its own'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --json' -l json -d 'one JSON object a line, errors too'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free -q --quiet -v --verbose' -s q -l quiet -d 'say nothing but errors'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free -q --quiet -v --verbose' -s v -l verbose -d 'say more about what was done'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --progress' -l progress -x -a 'auto always never json' -d 'show progress (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --color' -l color -x -a 'auto always never' -d 'color messages (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --busy-timeout' -l busy-timeout -x -d 'wait that long for a lock (default: 5)'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free -j --jobs' -s j -l jobs -x -d 'worker threads (default: one a core)'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free -h --help' -s h -l help -d 'show this help and exit'
complete -c dbseal -n '__dbseal_at "verify"' -n '__dbseal_free --version' -l version -d 'show versions and exit'

# dbseal migrate
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --files-from' -l files-from -r -F -d 'take the names from a file; - is standard input'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free -0 --null' -s 0 -l null -d 'names end with NUL, as find -print0 has them'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --in-place --output-dir' -l in-place -d 'replace the database itself'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --in-place --output-dir --schema' -l output-dir -x -a '(__dbseal_folders)' -d 'write several outputs into a directory'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --schema --backup' -l backup -x -d 'keep the replaced file under its name + SUFFIX'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free -f --force' -s f -l force -d 'replace a target that exists'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --resume -n --dry-run --schema' -l resume -r -F -d 'go on where a run that was stopped was'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --resume -n --dry-run --status' -s n -l dry-run -d 'check key, target and space, write nothing'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --schema --output-dir --backup --resume' -l schema -x -a '(__dbseal_folders)' -d 'apply the numbered SQL files of a directory'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --status --baseline --create --to -n --dry-run' -l status -d 'say what was applied and what is pending'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --check' -l check -d 'with --status: status 1 if one is pending'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --status --to --baseline' -l to -x -d 'apply files up to this version'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --status --baseline --create --to --allow-out-of-order' -l baseline -x -d 'record files up to VERSION, run none'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --status --baseline --create' -l create -d 'make a new, encrypted database'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --plaintext' -l plaintext -d 'with --create: do not encrypt it'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --baseline --allow-out-of-order' -l allow-out-of-order -d 'apply files below the newest applied one'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --track' -l track -x -a 'schema_migrations user_version' -d 'where the version is kept'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring' -l key-file -r -F -d 'read the key from a file; - is standard input'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring' -l key-fd -x -d 'read the key from an open descriptor'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --key-binary' -l key-env -x -a '(set -nx)' -d 'take the key from an environment variable'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring' -l key-command -x -d 'take the key from what a command prints'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --key-binary' -l keyring -x -d 'take the key from this machine\'s key store'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --raw-key --passphrase' -l raw-key -d 'the key is 64, 96 or 160 hex digits'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --raw-key --passphrase' -l passphrase -d 'the key is a passphrase, whatever it looks like'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --key-env --key-binary --keyring' -l key-binary -d 'take the bytes of the key as they are'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --allow-open-key-file' -l allow-open-key-file -d 'accept a key file that others can read'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --keyring-backend' -l keyring-backend -x -a 'credentials keychain secret-service kernel' -d 'which key store, and no other'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --key-timeout' -l key-timeout -x -d 'wait that long for the key (default: 120)'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --format' -l format -x -a '1 2 3 4' -d 'format to write (default: 4)'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --page-size' -l page-size -x -a '512 1024 2048 4096 8192 16384 32768 65536' -d 'page size to write (default: the format\'s)'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --kdf-iter' -l kdf-iter -x -d 'rounds of the key derivation'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --kdf-algorithm' -l kdf-algorithm -x -a 'sha1 sha256 sha512' -d 'hash of the key derivation'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --hmac-algorithm' -l hmac-algorithm -x -a 'sha1 sha256 sha512 none' -d 'hash of the page tags'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --hmac-pgno' -l hmac-pgno -x -a 'le be' -d 'byte order of the page number in a tag'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --hmac-salt-mask' -l hmac-salt-mask -x -d 'mask of the salt of the tags\' key (3a)'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --fast-kdf-iter' -l fast-kdf-iter -x -d 'rounds for the tags\' key (default: 2)'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --plaintext-header' -l plaintext-header -x -d 'bytes at the start that stay plain'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --salt' -l salt -x -d 'salt to write (default: random)'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --source-format' -l source-format -x -a '1 2 3 4' -d 'format to read (default: find out)'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --source-page-size' -l source-page-size -x -a '512 1024 2048 4096 8192 16384 32768 65536' -d 'page size of the source'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --source-kdf-iter' -l source-kdf-iter -x -d 'rounds of the key derivation'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --source-kdf-algorithm' -l source-kdf-algorithm -x -a 'sha1 sha256 sha512' -d 'hash of the key derivation'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --source-hmac-algorithm' -l source-hmac-algorithm -x -a 'sha1 sha256 sha512 none' -d 'hash of the page tags'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --source-hmac-pgno' -l source-hmac-pgno -x -a 'le be' -d 'byte order of the page number in a tag'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --source-hmac-salt-mask' -l source-hmac-salt-mask -x -d 'mask of the salt of the tags\' key (3a)'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --source-fast-kdf-iter' -l source-fast-kdf-iter -x -d 'rounds for the tags\' key (default: 2)'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --source-plaintext-header' -l source-plaintext-header -x -d 'bytes at the start that stay plain'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --source-salt' -l source-salt -x -d 'salt of a file that does not hold its own'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --json' -l json -d 'one JSON object a line, errors too'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free -q --quiet -v --verbose' -s q -l quiet -d 'say nothing but errors'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free -q --quiet -v --verbose' -s v -l verbose -d 'say more about what was done'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --progress' -l progress -x -a 'auto always never json' -d 'show progress (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --color' -l color -x -a 'auto always never' -d 'color messages (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --busy-timeout' -l busy-timeout -x -d 'wait that long for a lock (default: 5)'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free -j --jobs' -s j -l jobs -x -d 'worker threads (default: one a core)'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free -h --help' -s h -l help -d 'show this help and exit'
complete -c dbseal -n '__dbseal_at "migrate"' -n '__dbseal_free --version' -l version -d 'show versions and exit'

# dbseal inspect
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --files-from' -l files-from -r -F -d 'take the names from a file; - is standard input'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free -0 --null' -s 0 -l null -d 'names end with NUL, as find -print0 has them'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --tables --schema --pages --query' -l tables -d 'rows and sizes of all tables and indexes'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --tables --schema --pages --query' -l schema -d 'print the SQL text of the schema'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --tables --schema --pages --query' -l pages -d 'draw what the pages are used for'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --tables --schema --pages --query' -l query -x -d 'run one read-only statement, print its rows'
complete -c dbseal -n '__dbseal_at "inspect"' -l param -x -d 'give a parameter of the query its value'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --json --output-format' -l output-format -x -a 'table csv tsv json line' -d 'how rows are printed (default: table)'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --try-keys --key-file --key-fd --key-env --key-command --keyring --key-binary' -l try-keys -r -F -d 'try the keys of a file, one a line; - is stdin'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --try-keys' -l key-file -r -F -d 'read the key from a file; - is standard input'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --try-keys' -l key-fd -x -d 'read the key from an open descriptor'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --key-binary --try-keys' -l key-env -x -a '(set -nx)' -d 'take the key from an environment variable'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --try-keys' -l key-command -x -d 'take the key from what a command prints'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --key-file --key-fd --key-env --key-command --keyring --key-binary --try-keys' -l keyring -x -d 'take the key from this machine\'s key store'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --raw-key --passphrase' -l raw-key -d 'the key is 64, 96 or 160 hex digits'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --raw-key --passphrase' -l passphrase -d 'the key is a passphrase, whatever it looks like'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --key-env --key-binary --keyring --try-keys' -l key-binary -d 'take the bytes of the key as they are'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --allow-open-key-file' -l allow-open-key-file -d 'accept a key file that others can read'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --keyring-backend' -l keyring-backend -x -a 'credentials keychain secret-service kernel' -d 'which key store, and no other'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --key-timeout' -l key-timeout -x -d 'wait that long for the key (default: 120)'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --format' -l format -x -a '1 2 3 4' -d 'format to read (default: find out)'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --page-size' -l page-size -x -a '512 1024 2048 4096 8192 16384 32768 65536' -d 'page size of the source'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --kdf-iter' -l kdf-iter -x -d 'rounds of the key derivation'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --kdf-algorithm' -l kdf-algorithm -x -a 'sha1 sha256 sha512' -d 'hash of the key derivation'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --hmac-algorithm' -l hmac-algorithm -x -a 'sha1 sha256 sha512 none' -d 'hash of the page tags'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --hmac-pgno' -l hmac-pgno -x -a 'le be' -d 'byte order of the page number in a tag'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --hmac-salt-mask' -l hmac-salt-mask -x -d 'mask of the salt of the tags\' key (3a)'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --fast-kdf-iter' -l fast-kdf-iter -x -d 'rounds for the tags\' key (default: 2)'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --plaintext-header' -l plaintext-header -x -d 'bytes at the start that stay plain'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --salt' -l salt -x -d 'salt of a file that does not hold its own'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --json --output-format' -l json -d 'one JSON object a line, errors too'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free -q --quiet -v --verbose' -s q -l quiet -d 'say nothing but errors'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free -q --quiet -v --verbose' -s v -l verbose -d 'say more about what was done'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --progress' -l progress -x -a 'auto always never json' -d 'show progress (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --color' -l color -x -a 'auto always never' -d 'color messages (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --busy-timeout' -l busy-timeout -x -d 'wait that long for a lock (default: 5)'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free -j --jobs' -s j -l jobs -x -d 'worker threads (default: one a core)'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free -h --help' -s h -l help -d 'show this help and exit'
complete -c dbseal -n '__dbseal_at "inspect"' -n '__dbseal_free --version' -l version -d 'show versions and exit'

# dbseal key
complete -c dbseal -n '__dbseal_at "key"' -f
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_first' -a generate -d 'make a random key'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_first' -a store -d 'keep a key under a name'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_first' -a show -d 'print a key that is kept'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_first' -a delete -d 'remove a key'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_first' -a list -d 'name the key stores and the keys in them'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free -o --output --keyring' -s o -l output -r -F -d 'generate: to a new file that only you can read'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free -o --output --keyring' -l keyring -x -d 'generate: to a key store, under this name'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free --reveal' -l reveal -d 'show: print the key to a terminal, or in JSON'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free -f --force' -s f -l force -d 'store: replace another key; delete: do not ask'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free --with-salt --passphrase' -l with-salt -d 'generate: key and salt, 96 hex digits'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free --with-salt --passphrase --raw-key' -l passphrase -d 'generate, store: it is a passphrase, not a raw key'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free --key-file --key-fd --key-env --key-command' -l key-file -r -F -d 'read the key from a file; - is standard input'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free --key-file --key-fd --key-env --key-command' -l key-fd -x -d 'read the key from an open descriptor'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free --key-file --key-fd --key-env --key-command' -l key-env -x -a '(set -nx)' -d 'take the key from an environment variable'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free --key-file --key-fd --key-env --key-command' -l key-command -x -d 'take the key from what a command prints'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free --raw-key --passphrase' -l raw-key -d 'the key is 64, 96 or 160 hex digits'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free --allow-open-key-file' -l allow-open-key-file -d 'accept a key file that others can read'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free --keyring-backend' -l keyring-backend -x -a 'credentials keychain secret-service kernel' -d 'which key store, and no other'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free --key-timeout' -l key-timeout -x -d 'wait that long for the key (default: 120)'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free --json' -l json -d 'one JSON object a line, errors too'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free -q --quiet -v --verbose' -s q -l quiet -d 'say nothing but errors'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free -q --quiet -v --verbose' -s v -l verbose -d 'say more about what was done'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free --progress' -l progress -x -a 'auto always never json' -d 'show progress (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free --color' -l color -x -a 'auto always never' -d 'color messages (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free --busy-timeout' -l busy-timeout -x -d 'wait that long for a lock (default: 5)'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free -j --jobs' -s j -l jobs -x -d 'worker threads (default: one a core)'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free -h --help' -s h -l help -d 'show this help and exit'
complete -c dbseal -n '__dbseal_at "key"' -n '__dbseal_free --version' -l version -d 'show versions and exit'

# dbseal key generate
complete -c dbseal -n '__dbseal_at "key/generate"' -f
complete -c dbseal -n '__dbseal_at "key/generate"' -n '__dbseal_free -o --output --keyring' -s o -l output -r -F -d 'generate: to a new file that only you can read'
complete -c dbseal -n '__dbseal_at "key/generate"' -n '__dbseal_free -o --output --keyring' -l keyring -x -d 'generate: to a key store, under this name'
complete -c dbseal -n '__dbseal_at "key/generate"' -n '__dbseal_free --with-salt --passphrase' -l with-salt -d 'generate: key and salt, 96 hex digits'
complete -c dbseal -n '__dbseal_at "key/generate"' -n '__dbseal_free --with-salt --passphrase' -l passphrase -d 'generate, store: it is a passphrase, not a raw key'
complete -c dbseal -n '__dbseal_at "key/generate"' -n '__dbseal_free --keyring-backend' -l keyring-backend -x -a 'credentials keychain secret-service kernel' -d 'which key store, and no other'
complete -c dbseal -n '__dbseal_at "key/generate"' -n '__dbseal_free --key-timeout' -l key-timeout -x -d 'wait that long for the key (default: 120)'
complete -c dbseal -n '__dbseal_at "key/generate"' -n '__dbseal_free --json' -l json -d 'one JSON object a line, errors too'
complete -c dbseal -n '__dbseal_at "key/generate"' -n '__dbseal_free -q --quiet -v --verbose' -s q -l quiet -d 'say nothing but errors'
complete -c dbseal -n '__dbseal_at "key/generate"' -n '__dbseal_free -q --quiet -v --verbose' -s v -l verbose -d 'say more about what was done'
complete -c dbseal -n '__dbseal_at "key/generate"' -n '__dbseal_free --progress' -l progress -x -a 'auto always never json' -d 'show progress (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "key/generate"' -n '__dbseal_free --color' -l color -x -a 'auto always never' -d 'color messages (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "key/generate"' -n '__dbseal_free --busy-timeout' -l busy-timeout -x -d 'wait that long for a lock (default: 5)'
complete -c dbseal -n '__dbseal_at "key/generate"' -n '__dbseal_free -j --jobs' -s j -l jobs -x -d 'worker threads (default: one a core)'
complete -c dbseal -n '__dbseal_at "key/generate"' -n '__dbseal_free -h --help' -s h -l help -d 'show this help and exit'
complete -c dbseal -n '__dbseal_at "key/generate"' -n '__dbseal_free --version' -l version -d 'show versions and exit'

# dbseal key store
complete -c dbseal -n '__dbseal_at "key/store"' -f
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free --key-file --key-fd --key-env --key-command' -l key-file -r -F -d 'read the key from a file; - is standard input'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free --key-file --key-fd --key-env --key-command' -l key-fd -x -d 'read the key from an open descriptor'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free --key-file --key-fd --key-env --key-command' -l key-env -x -a '(set -nx)' -d 'take the key from an environment variable'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free --key-file --key-fd --key-env --key-command' -l key-command -x -d 'take the key from what a command prints'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free --raw-key --passphrase' -l raw-key -d 'the key is 64, 96 or 160 hex digits'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free --allow-open-key-file' -l allow-open-key-file -d 'accept a key file that others can read'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free --raw-key --passphrase' -l passphrase -d 'generate, store: it is a passphrase, not a raw key'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free -f --force' -s f -l force -d 'store: replace another key; delete: do not ask'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free --keyring-backend' -l keyring-backend -x -a 'credentials keychain secret-service kernel' -d 'which key store, and no other'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free --key-timeout' -l key-timeout -x -d 'wait that long for the key (default: 120)'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free --json' -l json -d 'one JSON object a line, errors too'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free -q --quiet -v --verbose' -s q -l quiet -d 'say nothing but errors'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free -q --quiet -v --verbose' -s v -l verbose -d 'say more about what was done'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free --progress' -l progress -x -a 'auto always never json' -d 'show progress (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free --color' -l color -x -a 'auto always never' -d 'color messages (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free --busy-timeout' -l busy-timeout -x -d 'wait that long for a lock (default: 5)'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free -j --jobs' -s j -l jobs -x -d 'worker threads (default: one a core)'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free -h --help' -s h -l help -d 'show this help and exit'
complete -c dbseal -n '__dbseal_at "key/store"' -n '__dbseal_free --version' -l version -d 'show versions and exit'

# dbseal key show
complete -c dbseal -n '__dbseal_at "key/show"' -f
complete -c dbseal -n '__dbseal_at "key/show"' -n '__dbseal_free --reveal' -l reveal -d 'show: print the key to a terminal, or in JSON'
complete -c dbseal -n '__dbseal_at "key/show"' -n '__dbseal_free --keyring-backend' -l keyring-backend -x -a 'credentials keychain secret-service kernel' -d 'which key store, and no other'
complete -c dbseal -n '__dbseal_at "key/show"' -n '__dbseal_free --key-timeout' -l key-timeout -x -d 'wait that long for the key (default: 120)'
complete -c dbseal -n '__dbseal_at "key/show"' -n '__dbseal_free --json' -l json -d 'one JSON object a line, errors too'
complete -c dbseal -n '__dbseal_at "key/show"' -n '__dbseal_free -q --quiet -v --verbose' -s q -l quiet -d 'say nothing but errors'
complete -c dbseal -n '__dbseal_at "key/show"' -n '__dbseal_free -q --quiet -v --verbose' -s v -l verbose -d 'say more about what was done'
complete -c dbseal -n '__dbseal_at "key/show"' -n '__dbseal_free --progress' -l progress -x -a 'auto always never json' -d 'show progress (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "key/show"' -n '__dbseal_free --color' -l color -x -a 'auto always never' -d 'color messages (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "key/show"' -n '__dbseal_free --busy-timeout' -l busy-timeout -x -d 'wait that long for a lock (default: 5)'
complete -c dbseal -n '__dbseal_at "key/show"' -n '__dbseal_free -j --jobs' -s j -l jobs -x -d 'worker threads (default: one a core)'
complete -c dbseal -n '__dbseal_at "key/show"' -n '__dbseal_free -h --help' -s h -l help -d 'show this help and exit'
complete -c dbseal -n '__dbseal_at "key/show"' -n '__dbseal_free --version' -l version -d 'show versions and exit'

# dbseal key delete
complete -c dbseal -n '__dbseal_at "key/delete"' -f
complete -c dbseal -n '__dbseal_at "key/delete"' -n '__dbseal_free -f --force' -s f -l force -d 'store: replace another key; delete: do not ask'
complete -c dbseal -n '__dbseal_at "key/delete"' -n '__dbseal_free --keyring-backend' -l keyring-backend -x -a 'credentials keychain secret-service kernel' -d 'which key store, and no other'
complete -c dbseal -n '__dbseal_at "key/delete"' -n '__dbseal_free --key-timeout' -l key-timeout -x -d 'wait that long for the key (default: 120)'
complete -c dbseal -n '__dbseal_at "key/delete"' -n '__dbseal_free --json' -l json -d 'one JSON object a line, errors too'
complete -c dbseal -n '__dbseal_at "key/delete"' -n '__dbseal_free -q --quiet -v --verbose' -s q -l quiet -d 'say nothing but errors'
complete -c dbseal -n '__dbseal_at "key/delete"' -n '__dbseal_free -q --quiet -v --verbose' -s v -l verbose -d 'say more about what was done'
complete -c dbseal -n '__dbseal_at "key/delete"' -n '__dbseal_free --progress' -l progress -x -a 'auto always never json' -d 'show progress (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "key/delete"' -n '__dbseal_free --color' -l color -x -a 'auto always never' -d 'color messages (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "key/delete"' -n '__dbseal_free --busy-timeout' -l busy-timeout -x -d 'wait that long for a lock (default: 5)'
complete -c dbseal -n '__dbseal_at "key/delete"' -n '__dbseal_free -j --jobs' -s j -l jobs -x -d 'worker threads (default: one a core)'
complete -c dbseal -n '__dbseal_at "key/delete"' -n '__dbseal_free -h --help' -s h -l help -d 'show this help and exit'
complete -c dbseal -n '__dbseal_at "key/delete"' -n '__dbseal_free --version' -l version -d 'show versions and exit'

# dbseal key list
complete -c dbseal -n '__dbseal_at "key/list"' -f
complete -c dbseal -n '__dbseal_at "key/list"' -n '__dbseal_free --keyring-backend' -l keyring-backend -x -a 'credentials keychain secret-service kernel' -d 'which key store, and no other'
complete -c dbseal -n '__dbseal_at "key/list"' -n '__dbseal_free --key-timeout' -l key-timeout -x -d 'wait that long for the key (default: 120)'
complete -c dbseal -n '__dbseal_at "key/list"' -n '__dbseal_free --json' -l json -d 'one JSON object a line, errors too'
complete -c dbseal -n '__dbseal_at "key/list"' -n '__dbseal_free -q --quiet -v --verbose' -s q -l quiet -d 'say nothing but errors'
complete -c dbseal -n '__dbseal_at "key/list"' -n '__dbseal_free -q --quiet -v --verbose' -s v -l verbose -d 'say more about what was done'
complete -c dbseal -n '__dbseal_at "key/list"' -n '__dbseal_free --progress' -l progress -x -a 'auto always never json' -d 'show progress (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "key/list"' -n '__dbseal_free --color' -l color -x -a 'auto always never' -d 'color messages (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "key/list"' -n '__dbseal_free --busy-timeout' -l busy-timeout -x -d 'wait that long for a lock (default: 5)'
complete -c dbseal -n '__dbseal_at "key/list"' -n '__dbseal_free -j --jobs' -s j -l jobs -x -d 'worker threads (default: one a core)'
complete -c dbseal -n '__dbseal_at "key/list"' -n '__dbseal_free -h --help' -s h -l help -d 'show this help and exit'
complete -c dbseal -n '__dbseal_at "key/list"' -n '__dbseal_free --version' -l version -d 'show versions and exit'

# dbseal help
complete -c dbseal -n '__dbseal_at "help"' -f
complete -c dbseal -n '__dbseal_at "help"' -n '__dbseal_first' -a encrypt -d 'make an encrypted database of a plaintext one'
complete -c dbseal -n '__dbseal_at "help"' -n '__dbseal_first' -a decrypt -d 'make a plaintext database of an encrypted one'
complete -c dbseal -n '__dbseal_at "help"' -n '__dbseal_first' -a rekey -d 'give an encrypted database another key'
complete -c dbseal -n '__dbseal_at "help"' -n '__dbseal_first' -a verify -d 'check pages, structure, references, content'
complete -c dbseal -n '__dbseal_at "help"' -n '__dbseal_first' -a migrate -d 'bring a database to another format or schema'
complete -c dbseal -n '__dbseal_at "help"' -n '__dbseal_first' -a inspect -d 'say what a file is, and what is in it'
complete -c dbseal -n '__dbseal_at "help"' -n '__dbseal_first' -a key -d 'make keys, and keep them in a key store'
complete -c dbseal -n '__dbseal_at "help"' -n '__dbseal_free --json' -l json -d 'one JSON object a line, errors too'
complete -c dbseal -n '__dbseal_at "help"' -n '__dbseal_free -q --quiet -v --verbose' -s q -l quiet -d 'say nothing but errors'
complete -c dbseal -n '__dbseal_at "help"' -n '__dbseal_free -q --quiet -v --verbose' -s v -l verbose -d 'say more about what was done'
complete -c dbseal -n '__dbseal_at "help"' -n '__dbseal_free --progress' -l progress -x -a 'auto always never json' -d 'show progress (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "help"' -n '__dbseal_free --color' -l color -x -a 'auto always never' -d 'color messages (default: on a terminal)'
complete -c dbseal -n '__dbseal_at "help"' -n '__dbseal_free --busy-timeout' -l busy-timeout -x -d 'wait that long for a lock (default: 5)'
complete -c dbseal -n '__dbseal_at "help"' -n '__dbseal_free -j --jobs' -s j -l jobs -x -d 'worker threads (default: one a core)'
complete -c dbseal -n '__dbseal_at "help"' -n '__dbseal_free -h --help' -s h -l help -d 'show this help and exit'
complete -c dbseal -n '__dbseal_at "help"' -n '__dbseal_free --version' -l version -d 'show versions and exit'
