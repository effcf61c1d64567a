# Made by `dbseal generate completions` from the catalog. Change that instead.
_dbseal() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' options i
  compopt -o filenames 2>/dev/null
  case $before in
    --files-from) COMPREPLY=($(compgen -f -- "$word")); return ;;
    --output-dir) COMPREPLY=($(compgen -d -- "$word")); return ;;
    --backup) COMPREPLY=(); return ;;
    --key-file) COMPREPLY=($(compgen -f -- "$word")); return ;;
    --key-fd) COMPREPLY=(); return ;;
    --key-env) COMPREPLY=($(compgen -e -- "$word")); return ;;
    --key-command) COMPREPLY=(); return ;;
    --keyring) COMPREPLY=(); return ;;
    --keyring-backend) COMPREPLY=($(compgen -W 'credentials keychain secret-service kernel' -- "$word")); return ;;
    --key-timeout) COMPREPLY=(); return ;;
    --format) COMPREPLY=($(compgen -W '1 2 3 4' -- "$word")); return ;;
    --page-size) COMPREPLY=($(compgen -W '512 1024 2048 4096 8192 16384 32768 65536' -- "$word")); return ;;
    --kdf-iter) COMPREPLY=(); return ;;
    --kdf-algorithm) COMPREPLY=($(compgen -W 'sha1 sha256 sha512' -- "$word")); return ;;
    --hmac-algorithm) COMPREPLY=($(compgen -W 'sha1 sha256 sha512 none' -- "$word")); return ;;
    --hmac-pgno) COMPREPLY=($(compgen -W 'le be' -- "$word")); return ;;
    --hmac-salt-mask) COMPREPLY=(); return ;;
    --fast-kdf-iter) COMPREPLY=(); return ;;
    --plaintext-header) COMPREPLY=(); return ;;
    --salt) COMPREPLY=(); return ;;
    --progress) COMPREPLY=($(compgen -W 'auto always never' -- "$word")); return ;;
    --color) COMPREPLY=($(compgen -W 'auto always never' -- "$word")); return ;;
    --busy-timeout) COMPREPLY=(); return ;;
    -j|--jobs) COMPREPLY=(); return ;;
    --try-keys) COMPREPLY=($(compgen -f -- "$word")); return ;;
    --source-page-size) COMPREPLY=($(compgen -W '512 1024 2048 4096 8192 16384 32768 65536' -- "$word")); return ;;
    --new-key-file) COMPREPLY=($(compgen -f -- "$word")); return ;;
    --new-key-fd) COMPREPLY=(); return ;;
    --new-key-env) COMPREPLY=($(compgen -e -- "$word")); return ;;
    --new-key-command) COMPREPLY=(); return ;;
    --new-keyring) COMPREPLY=(); return ;;
    --source-format) COMPREPLY=($(compgen -W '1 2 3 4' -- "$word")); return ;;
    --source-kdf-iter) COMPREPLY=(); return ;;
    --source-kdf-algorithm) COMPREPLY=($(compgen -W 'sha1 sha256 sha512' -- "$word")); return ;;
    --source-hmac-algorithm) COMPREPLY=($(compgen -W 'sha1 sha256 sha512 none' -- "$word")); return ;;
    --source-hmac-pgno) COMPREPLY=($(compgen -W 'le be' -- "$word")); return ;;
    --source-hmac-salt-mask) COMPREPLY=(); return ;;
    --source-fast-kdf-iter) COMPREPLY=(); return ;;
    --source-plaintext-header) COMPREPLY=(); return ;;
    --source-salt) COMPREPLY=(); return ;;
    --manifest) COMPREPLY=($(compgen -f -- "$word")); return ;;
    --report) COMPREPLY=($(compgen -W 'junit tap' -- "$word")); return ;;
    --report-file) COMPREPLY=($(compgen -f -- "$word")); return ;;
    --write-manifest) COMPREPLY=($(compgen -f -- "$word")); return ;;
    --sample) COMPREPLY=(); return ;;
    --expect-user-version) COMPREPLY=(); return ;;
    --expect-application-id) COMPREPLY=(); return ;;
    --expect-table) COMPREPLY=(); return ;;
    --expect-digest) COMPREPLY=(); return ;;
    --against) COMPREPLY=($(compgen -f -- "$word")); return ;;
    --against-key-file) COMPREPLY=($(compgen -f -- "$word")); return ;;
    --against-key-fd) COMPREPLY=(); return ;;
    --against-key-env) COMPREPLY=($(compgen -e -- "$word")); return ;;
    --against-key-command) COMPREPLY=(); return ;;
    --against-keyring) COMPREPLY=(); return ;;
    --against-format) COMPREPLY=($(compgen -W '1 2 3 4' -- "$word")); return ;;
    --against-page-size) COMPREPLY=($(compgen -W '512 1024 2048 4096 8192 16384 32768 65536' -- "$word")); return ;;
    --against-kdf-iter) COMPREPLY=(); return ;;
    --against-kdf-algorithm) COMPREPLY=($(compgen -W 'sha1 sha256 sha512' -- "$word")); return ;;
    --against-hmac-algorithm) COMPREPLY=($(compgen -W 'sha1 sha256 sha512 none' -- "$word")); return ;;
    --against-hmac-pgno) COMPREPLY=($(compgen -W 'le be' -- "$word")); return ;;
    --against-hmac-salt-mask) COMPREPLY=(); return ;;
    --against-fast-kdf-iter) COMPREPLY=(); return ;;
    --against-plaintext-header) COMPREPLY=(); return ;;
    --against-salt) COMPREPLY=(); return ;;
    --schema) COMPREPLY=($(compgen -d -- "$word")); return ;;
    --to) COMPREPLY=(); return ;;
    --baseline) COMPREPLY=(); return ;;
    --track) COMPREPLY=($(compgen -W 'schema_migrations user_version' -- "$word")); return ;;
    --query) COMPREPLY=(); return ;;
    --param) COMPREPLY=(); return ;;
    --output-format) COMPREPLY=($(compgen -W 'table csv tsv json line' -- "$word")); return ;;
    -o|--output) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
    encrypt|decrypt|rekey|verify|migrate|inspect|key|help) command=${COMP_WORDS[i]}; break ;;
    esac
  done
  case $command in
    encrypt) options='--files-from -0 --null --in-place --output-dir --backup -f --force -n --dry-run --shred --key-file --key-fd --key-env --key-command --keyring --raw-key --passphrase --key-binary --allow-open-key-file --keyring-backend --key-timeout --create --format --page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version' ;;
    decrypt) options='--files-from -0 --null --in-place --output-dir --backup -f --force -n --dry-run --exact --page-size --try-keys --key-file --key-fd --key-env --key-command --keyring --raw-key --passphrase --key-binary --allow-open-key-file --keyring-backend --key-timeout --format --source-page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version' ;;
    rekey) options='--files-from -0 --null --in-place --output-dir --backup -f --force -n --dry-run --key-file --key-fd --key-env --key-command --keyring --raw-key --passphrase --key-binary --allow-open-key-file --keyring-backend --key-timeout --new-key-file --new-key-fd --new-key-env --new-key-command --new-keyring --new-raw-key --new-passphrase --new-key-binary --format --page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --source-format --source-page-size --source-kdf-iter --source-kdf-algorithm --source-hmac-algorithm --source-hmac-pgno --source-hmac-salt-mask --source-fast-kdf-iter --source-plaintext-header --source-salt --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version' ;;
    verify) options='--files-from -0 --null --manifest --report --report-file --write-manifest -f --force --quick --sample --expect-encrypted --expect-user-version --expect-application-id --expect-table --digest --expect-digest --against --try-keys --key-file --key-fd --key-env --key-command --keyring --raw-key --passphrase --key-binary --allow-open-key-file --keyring-backend --key-timeout --format --page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --against-key-file --against-key-fd --against-key-env --against-key-command --against-keyring --against-raw-key --against-passphrase --against-key-binary --against-format --against-page-size --against-kdf-iter --against-kdf-algorithm --against-hmac-algorithm --against-hmac-pgno --against-hmac-salt-mask --against-fast-kdf-iter --against-plaintext-header --against-salt --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version' ;;
    migrate) options='--files-from -0 --null --in-place --output-dir --backup -f --force -n --dry-run --schema --status --check --to --baseline --create --plaintext --allow-out-of-order --track --key-file --key-fd --key-env --key-command --keyring --raw-key --passphrase --key-binary --allow-open-key-file --keyring-backend --key-timeout --format --page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --source-format --source-page-size --source-kdf-iter --source-kdf-algorithm --source-hmac-algorithm --source-hmac-pgno --source-hmac-salt-mask --source-fast-kdf-iter --source-plaintext-header --source-salt --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version' ;;
    inspect) options='--files-from -0 --null --tables --schema --pages --query --param --output-format --try-keys --key-file --key-fd --key-env --key-command --keyring --raw-key --passphrase --key-binary --allow-open-key-file --keyring-backend --key-timeout --format --page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version' ;;
    key) options='-o --output --keyring --reveal --with-salt --passphrase --key-file --key-fd --key-env --key-command --raw-key --allow-open-key-file --keyring-backend --key-timeout --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version' ;;
    help) options='--json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version' ;;
    *) options='--json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version' ;;
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    case $command in
      '') COMPREPLY=($(compgen -W 'encrypt decrypt rekey verify migrate inspect key help' -- "$word")) ;;
      key) COMPREPLY=($(compgen -W 'generate store show delete list' -- "$word")) ;;
      help) COMPREPLY=($(compgen -W 'encrypt decrypt rekey verify migrate inspect key' -- "$word")) ;;
      *) COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
  fi
}
complete -F _dbseal dbseal
