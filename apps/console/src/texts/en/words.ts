/** Returns a count with its noun. */
export const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

/** Words for values of the service. */
export const words = {
  logout: 'signed out',
  evicted: 'ended from elsewhere',
  password: 'password',
  'one-time-code': 'one-time code',
  'recovery-code': 'recovery code',
  base_path: 'folder',
  sso_id: 'SSO id',
  allow_ldap: 'LDAP',
  permission: 'permissions',
  sftp: 'SFTP',
  webdav: 'WebDAV',
  ftp: 'FTP',
  any: 'SFTP, WebDAV and FTP',
  web: 'web applications',
  'profile:read': 'Read my account',
  'activity:read': 'Read my activity',
  'keys:manage': 'Manage my SSH keys',
  files: 'Use my files',
  'accounts:read': 'Read all accounts',
  'accounts:manage': 'Read and change all accounts',
  'accounts:audit': 'Read the sessions and the activity of everybody',
  'settings:read': 'Read the settings',
  'keys:find': 'Find the owner of an SSH key',
  'keys:look-up': 'Look up SSH keys, for file servers',
  'logins:verify': 'Check sign-ins, for file servers',
} as Record<string, string>;
