# Turns the lines of "keyfold account list --json" into users that SFTPGo can load (docs/connect/sftpgo.md, "Several first logins at once"). Run it
# with jq --slurp. The users are disabled and have no password and no files: SFTPGo replaces them by what Keyfold answers at their first login.
{
  users: map(
    select(.disabled | not)
    | .username
    # SFTPGo loads no user if it does not accept one of the names.
    | select(utf8bytelength <= 255)
    | select(test("[\\\\/:*?\"<>|\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]|^(con|prn|aux|nul|com[1-9]|lpt[1-9])(\\.|$)|^__(self|system)__$|^\\s|[\\s.]$"; "i") | not)
    | { username: ., status: 0, home_dir: "/nonexistent", permissions: { "/": ["list"] } }
  )
}
