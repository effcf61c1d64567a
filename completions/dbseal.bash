# Made by `dbseal generate completions` from the catalog. Change that instead.

# What the value of an option is ("place:option"), in `kind`; empty for a flag.
_dbseal_kind() {
  kind=''
  case $1 in
    *:--progress)
      kind='auto always never json' ;;
    *:--color)
      kind='auto always never' ;;
    *:--busy-timeout | *:-j | *:--jobs | *:--backup | *:--key-fd | *:--key-command | *:--keyring | \
    *:--key-timeout | *:--kdf-iter | *:--hmac-salt-mask | *:--fast-kdf-iter | *:--plaintext-header \
    | *:--salt | *:--new-key-fd | *:--new-key-command | *:--new-keyring | *:--source-kdf-iter | \
    *:--source-hmac-salt-mask | *:--source-fast-kdf-iter | *:--source-plaintext-header | \
    *:--source-salt | *:--sample | *:--expect-user-version | *:--expect-application-id | \
    *:--expect-table | *:--expect-digest | *:--against-key-fd | *:--against-key-command | \
    *:--against-keyring | *:--against-kdf-iter | *:--against-hmac-salt-mask | \
    *:--against-fast-kdf-iter | *:--against-plaintext-header | *:--against-salt | *:--to | \
    *:--baseline | *:--query | *:--param)
      kind='text' ;;
    *:--files-from | *:--resume | *:--key-file | *:--try-keys | *:--new-key-file | *:--manifest | \
    *:--report-file | *:--write-manifest | *:--against | *:--against-key-file | *:-o | *:--output)
      kind='files' ;;
    *:--output-dir | migrate:--schema)
      kind='folders' ;;
    *:--key-env | *:--new-key-env | *:--against-key-env)
      kind='variables' ;;
    *:--keyring-backend)
      kind='credentials keychain secret-service kernel' ;;
    *:--format | *:--source-format | *:--against-format)
      kind='1 2 3 4' ;;
    *:--page-size | *:--source-page-size | *:--against-page-size)
      kind='512 1024 2048 4096 8192 16384 32768 65536' ;;
    *:--kdf-algorithm | *:--source-kdf-algorithm | *:--against-kdf-algorithm)
      kind='sha1 sha256 sha512' ;;
    *:--hmac-algorithm | *:--source-hmac-algorithm | *:--against-hmac-algorithm)
      kind='sha1 sha256 sha512 none' ;;
    *:--hmac-pgno | *:--source-hmac-pgno | *:--against-hmac-pgno)
      kind='le be' ;;
    *:--report)
      kind='junit tap' ;;
    *:--track)
      kind='schema_migrations user_version' ;;
    *:--output-format)
      kind='table csv tsv json line' ;;
  esac
}

# What may stand in a place: options, which of them exclude each other, the next word, files.
_dbseal_place() {
  case $1 in
    '')
      options='--json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version'
      groups='--json --progress --color --busy-timeout -j,--jobs -h,--help --version -q,--quiet,-v,--verbose'
      next='encrypt decrypt rekey verify migrate inspect key help' operands='' ;;
    'encrypt')
      options='--files-from -0 --null --in-place --output-dir --backup -f --force --resume -n --dry-run --shred --key-file --key-fd --key-env --key-command --keyring --raw-key --passphrase --key-binary --allow-open-key-file --keyring-backend --key-timeout --create --format --page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version'
      groups='--files-from -0,--null --backup -f,--force --allow-open-key-file --keyring-backend --key-timeout --format --page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --json --progress --color --busy-timeout -j,--jobs -h,--help --version --in-place,--output-dir --resume,-n,--dry-run --in-place,--shred --create,--passphrase --key-file,--key-fd,--key-env,--key-command,--keyring --raw-key,--passphrase --key-env,--key-binary --keyring,--key-binary -q,--quiet,-v,--verbose'
      next='' operands='files' ;;
    'decrypt')
      options='--files-from -0 --null --in-place --output-dir --backup -f --force --resume -n --dry-run --exact --page-size --try-keys --key-file --key-fd --key-env --key-command --keyring --raw-key --passphrase --key-binary --allow-open-key-file --keyring-backend --key-timeout --format --source-page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version'
      groups='--files-from -0,--null --backup -f,--force --allow-open-key-file --keyring-backend --key-timeout --format --source-page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --json --progress --color --busy-timeout -j,--jobs -h,--help --version --in-place,--output-dir --resume,-n,--dry-run --exact,--page-size --key-file,--key-fd,--key-env,--key-command,--keyring --raw-key,--passphrase --key-env,--key-binary --keyring,--key-binary --try-keys,--key-file --try-keys,--key-fd --try-keys,--key-env --try-keys,--key-command --try-keys,--keyring --try-keys,--key-binary -q,--quiet,-v,--verbose'
      next='' operands='files' ;;
    'rekey')
      options='--files-from -0 --null --in-place --output-dir --backup -f --force --resume -n --dry-run --key-file --key-fd --key-env --key-command --keyring --raw-key --passphrase --key-binary --allow-open-key-file --keyring-backend --key-timeout --new-key-file --new-key-fd --new-key-env --new-key-command --new-keyring --new-raw-key --new-passphrase --new-key-binary --format --page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --source-format --source-page-size --source-kdf-iter --source-kdf-algorithm --source-hmac-algorithm --source-hmac-pgno --source-hmac-salt-mask --source-fast-kdf-iter --source-plaintext-header --source-salt --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version'
      groups='--files-from -0,--null --backup -f,--force --allow-open-key-file --keyring-backend --key-timeout --format --page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --source-format --source-page-size --source-kdf-iter --source-kdf-algorithm --source-hmac-algorithm --source-hmac-pgno --source-hmac-salt-mask --source-fast-kdf-iter --source-plaintext-header --source-salt --json --progress --color --busy-timeout -j,--jobs -h,--help --version --in-place,--output-dir --resume,-n,--dry-run --key-file,--key-fd,--key-env,--key-command,--keyring --raw-key,--passphrase --key-env,--key-binary --keyring,--key-binary -q,--quiet,-v,--verbose --new-key-file,--new-key-fd,--new-key-env,--new-key-command,--new-keyring --new-raw-key,--new-passphrase --new-key-env,--new-key-binary --new-keyring,--new-key-binary'
      next='' operands='files' ;;
    'verify')
      options='--files-from -0 --null --manifest --report --report-file --write-manifest -f --force --resume --quick --sample --expect-encrypted --expect-user-version --expect-application-id --expect-table --digest --expect-digest --against --try-keys --key-file --key-fd --key-env --key-command --keyring --raw-key --passphrase --key-binary --allow-open-key-file --keyring-backend --key-timeout --format --page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --against-key-file --against-key-fd --against-key-env --against-key-command --against-keyring --against-raw-key --against-passphrase --against-key-binary --against-format --against-page-size --against-kdf-iter --against-kdf-algorithm --against-hmac-algorithm --against-hmac-pgno --against-hmac-salt-mask --against-fast-kdf-iter --against-plaintext-header --against-salt --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version'
      groups='-0,--null --report-file -f,--force --quick --sample --expect-encrypted --expect-user-version --expect-application-id --digest --expect-digest --allow-open-key-file --keyring-backend --key-timeout --format --page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --against-format --against-page-size --against-kdf-iter --against-kdf-algorithm --against-hmac-algorithm --against-hmac-pgno --against-hmac-salt-mask --against-fast-kdf-iter --against-plaintext-header --against-salt --json --progress --color --busy-timeout -j,--jobs -h,--help --version --files-from,--manifest --key-file,--key-fd,--key-env,--key-command,--keyring --raw-key,--passphrase --key-env,--key-binary --keyring,--key-binary --try-keys,--key-file --try-keys,--key-fd --try-keys,--key-env --try-keys,--key-command --try-keys,--keyring --try-keys,--key-binary --against-key-file,--against-key-fd,--against-key-env,--against-key-command,--against-keyring --against-raw-key,--against-passphrase --against-key-env,--against-key-binary --against-keyring,--against-key-binary --manifest,--against --resume,--manifest --resume,--report --resume,--write-manifest -q,--quiet,-v,--verbose'
      next='' operands='files' ;;
    'migrate')
      options='--files-from -0 --null --in-place --output-dir --backup -f --force --resume -n --dry-run --schema --status --check --to --baseline --create --plaintext --allow-out-of-order --track --key-file --key-fd --key-env --key-command --keyring --raw-key --passphrase --key-binary --allow-open-key-file --keyring-backend --key-timeout --format --page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --source-format --source-page-size --source-kdf-iter --source-kdf-algorithm --source-hmac-algorithm --source-hmac-pgno --source-hmac-salt-mask --source-fast-kdf-iter --source-plaintext-header --source-salt --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version'
      groups='--files-from -0,--null -f,--force --check --plaintext --track --allow-open-key-file --keyring-backend --key-timeout --format --page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --source-format --source-page-size --source-kdf-iter --source-kdf-algorithm --source-hmac-algorithm --source-hmac-pgno --source-hmac-salt-mask --source-fast-kdf-iter --source-plaintext-header --source-salt --json --progress --color --busy-timeout -j,--jobs -h,--help --version --in-place,--output-dir --resume,-n,--dry-run --key-file,--key-fd,--key-env,--key-command,--keyring --raw-key,--passphrase --key-env,--key-binary --keyring,--key-binary -q,--quiet,-v,--verbose --status,--baseline,--create --status,--to --status,-n,--dry-run --baseline,--to --baseline,--allow-out-of-order --schema,--output-dir --schema,--backup --schema,--resume'
      next='' operands='files' ;;
    'inspect')
      options='--files-from -0 --null --tables --schema --pages --query --param --output-format --try-keys --key-file --key-fd --key-env --key-command --keyring --raw-key --passphrase --key-binary --allow-open-key-file --keyring-backend --key-timeout --format --page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version'
      groups='--files-from -0,--null --allow-open-key-file --keyring-backend --key-timeout --format --page-size --kdf-iter --kdf-algorithm --hmac-algorithm --hmac-pgno --hmac-salt-mask --fast-kdf-iter --plaintext-header --salt --progress --color --busy-timeout -j,--jobs -h,--help --version --tables,--schema,--pages,--query --json,--output-format --key-file,--key-fd,--key-env,--key-command,--keyring --raw-key,--passphrase --key-env,--key-binary --keyring,--key-binary --try-keys,--key-file --try-keys,--key-fd --try-keys,--key-env --try-keys,--key-command --try-keys,--keyring --try-keys,--key-binary -q,--quiet,-v,--verbose'
      next='' operands='files' ;;
    'key')
      options='-o --output --keyring --reveal -f --force --with-salt --passphrase --key-file --key-fd --key-env --key-command --raw-key --allow-open-key-file --keyring-backend --key-timeout --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version'
      groups='--reveal -f,--force --allow-open-key-file --keyring-backend --key-timeout --json --progress --color --busy-timeout -j,--jobs -h,--help --version -o,--output,--keyring --with-salt,--passphrase --raw-key,--passphrase --key-file,--key-fd,--key-env,--key-command -q,--quiet,-v,--verbose'
      next='generate store show delete list' operands='' ;;
    'key/generate')
      options='-o --output --keyring --with-salt --passphrase --keyring-backend --key-timeout --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version'
      groups='--keyring-backend --key-timeout --json --progress --color --busy-timeout -j,--jobs -h,--help --version -o,--output,--keyring --with-salt,--passphrase -q,--quiet,-v,--verbose'
      next='' operands='' ;;
    'key/store')
      options='--key-file --key-fd --key-env --key-command --raw-key --allow-open-key-file --passphrase -f --force --keyring-backend --key-timeout --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version'
      groups='--allow-open-key-file -f,--force --keyring-backend --key-timeout --json --progress --color --busy-timeout -j,--jobs -h,--help --version --raw-key,--passphrase --key-file,--key-fd,--key-env,--key-command -q,--quiet,-v,--verbose'
      next='' operands='' ;;
    'key/show')
      options='--reveal --keyring-backend --key-timeout --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version'
      groups='--reveal --keyring-backend --key-timeout --json --progress --color --busy-timeout -j,--jobs -h,--help --version -q,--quiet,-v,--verbose'
      next='' operands='' ;;
    'key/delete')
      options='-f --force --keyring-backend --key-timeout --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version'
      groups='-f,--force --keyring-backend --key-timeout --json --progress --color --busy-timeout -j,--jobs -h,--help --version -q,--quiet,-v,--verbose'
      next='' operands='' ;;
    'key/list')
      options='--keyring-backend --key-timeout --json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version'
      groups='--keyring-backend --key-timeout --json --progress --color --busy-timeout -j,--jobs -h,--help --version -q,--quiet,-v,--verbose'
      next='' operands='' ;;
    'help')
      options='--json -q --quiet -v --verbose --progress --color --busy-timeout -j --jobs -h --help --version'
      groups='--json --progress --color --busy-timeout -j,--jobs -h,--help --version -q,--quiet,-v,--verbose'
      next='encrypt decrypt rekey verify migrate inspect key' operands='' ;;
  esac
}

# Reads the words before the cursor: into the place, the options that were given, the option
# whose value comes next, and whether there was an operand, or a --.
_dbseal_words() {
  local i n word letter
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ -n $option ]]; then
      # Where = breaks words, --name=value is three of them.
      [[ $word == '=' ]] || option=''
    elif [[ -n $dashes || $word != -?* ]]; then
      case ${place:+$place/}$word in
        encrypt | decrypt | rekey | verify | migrate | inspect | key | key/generate | key/store | \
        key/show | key/delete | key/list | help)
          if [[ -z $operand ]]; then place+=${place:+/}$word; else operand=1; fi ;;
        *) operand=1 ;;
      esac
    elif [[ $word == -- ]]; then
      dashes=1
    elif [[ $word == --*=* ]]; then
      given+="${word%%=*} "
    elif [[ $word == --* ]]; then
      given+="$word "
      _dbseal_kind "$place:$word"
      [[ -z $kind ]] || option=$word
    else
      for ((n = 1; n < ${#word}; n++)); do
        letter=-${word:n:1}
        given+="$letter "
        _dbseal_kind "$place:$letter"
        [[ -n $kind ]] || continue
        ((n + 1 < ${#word})) || option=$letter
        break
      done
    fi
  done
}

# Offers those of the words $1 that begin with $word.
_dbseal_offer() {
  local each
  for each in $1; do
    if [[ $each == "$word"* ]]; then COMPREPLY+=("$prefix$each"); fi
  done
}

# Leaves the names of files ($1 is default) or folders (dirnames) to readline, where it sees them as
# words of their own, and where bash, from 4 on, lets a function say so.
_dbseal_names() {
  local each
  if [[ -z $prefix ]] && type compopt &>/dev/null; then
    compopt -o "$1" 2>/dev/null
  else
    while IFS='' read -r each; do COMPREPLY+=("$prefix$each"); done < <(
      if [[ $1 == dirnames ]]; then compgen -d -- "$word"; else compgen -f -- "$word"; fi)
  fi
}

# Offers the options of the place that can still be given.
_dbseal_options() {
  local group each gone=' '
  for group in $groups; do
    for each in ${group//,/ }; do
      if [[ $given == *" $each "* ]]; then gone+="${group//,/ } "; fi
    done
  done
  for each in $options; do
    if [[ $gone != *" $each "* ]]; then _dbseal_offer "$each"; fi
  done
}

_dbseal() {
  local IFS=$' \t\n' place='' given=' ' option='' operand='' dashes='' kind='' prefix=''
  local options='' groups='' next='' operands='' word=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  if [[ ${COMP_WORDS[COMP_CWORD-1]} == *[\<\>] ]]; then _dbseal_names default; return; fi
  _dbseal_words
  _dbseal_place "$place"
  if [[ -n $option ]]; then
    if [[ $word == '=' ]]; then word=''; fi
  elif [[ -z $dashes && $word == --*=* ]]; then
    option=${word%%=*} prefix=${word%%=*}= word=${word#*=}
  fi
  if [[ -n $option ]]; then
    _dbseal_kind "$place:$option"
    case $kind in
      '' | text) ;;
      files) _dbseal_names default ;;
      folders) _dbseal_names dirnames ;;
      variables) _dbseal_offer "$(compgen -e)" ;;
      *) _dbseal_offer "$kind" ;;
    esac
  elif [[ -z $dashes && $word == -* ]]; then
    _dbseal_options
  elif [[ -n $next && -z $operand ]]; then
    _dbseal_offer "$next"
  elif [[ -n $operands ]]; then
    _dbseal_names default
  fi
}

if type compopt &>/dev/null; then
  complete -F _dbseal dbseal
else
  complete -o filenames -F _dbseal dbseal
fi
