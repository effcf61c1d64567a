# A Homebrew formula, for a tap of one's own. It has not been tried yet: dbseal was not built on macOS
# so far. Where the sources are published is not decided either, so that it builds the newest commit of
# a clone (brew install --HEAD), whose place HOMEBREW_DBSEAL_SOURCE says:
#
#   HOMEBREW_DBSEAL_SOURCE="file://$PWD" brew install --HEAD ./packaging/homebrew/dbseal.rb
class Dbseal < Formula
  desc "Encrypt, decrypt, check and migrate SQLCipher databases"
  # No licence has been chosen yet.
  license :cannot_represent
  head ENV.fetch("HOMEBREW_DBSEAL_SOURCE", "file:///nowhere"), using: :git, branch: "main"

  depends_on "pkgconf" => :build
  depends_on macos: :sequoia
  depends_on "openssl@3"
  depends_on "sqlcipher"

  def install
    system "swift", "build", "--disable-sandbox", "-c", "release"
    system "make", "install", "DBSEAL_BIN=.build/release/dbseal", "PREFIX=#{prefix}"
  end

  test do
    system "sqlite3", "plain.db", "CREATE TABLE t(x); INSERT INTO t VALUES (1);"
    system bin/"dbseal", "key", "generate", "--output", "app.key"
    system bin/"dbseal", "encrypt", "--key-file", "app.key", "plain.db", "app.db"
    system bin/"dbseal", "verify", "--key-file", "app.key", "--against", "plain.db", "app.db"
  end
end
