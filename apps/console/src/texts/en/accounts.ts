export const accounts = {
  title: 'Accounts',
  create: 'Create account',
  search: 'Search by name',
  order: 'Order',
  oldestFirst: 'Oldest first',
  newestFirst: 'Newest first',
  count: (count: number, shown: string) => `${shown} ${count === 1 ? 'account' : 'accounts'}`,
  nothingFound: 'No name contains this text. Search for a shorter part of it, or create the account.',
  firstPage: 'Go to the first page',
};

export const account = {
  title: 'Account',
  toList: 'All accounts',
  id: 'Id',
  role: 'Role',
  facts: (role: string, id: number) => `${role}, id ${id}`,
  own: 'you',
  guestHint:
    'Requests without a sign-in act as the guest. While it is disabled, they are refused. It has no SSH keys and no two-factor, and cannot be deleted.',
  administratorHint: 'An administrator cannot be disabled or deleted.',
  folderHint: 'The account sees this folder and everything in it.',
  nameConsequence: 'A new name signs the account out everywhere.',
  ssoId: 'SSO id',
  ssoHint: 'The id of this person at your single sign-on. Usually empty.',
  undo: 'Undo changes',
  collision: (fields: string) =>
    `Somebody else has just changed this account: ${fields}. Nothing was saved. Save again to overwrite, or undo your changes to see theirs.`,
  fields: { username: 'user name', base_path: 'folder', sso_id: 'SSO id', permission: 'permissions' },
  password: 'New password',
  ownPassword: 'Change your own password under “Password and two-factor”',
  passwordConsequence:
    'A new password ends every session of this account. SSH keys, access tokens and app passwords stay.',
  generate: 'Generate a password',
  generateHint: 'It is shown once, for you to pass on.',
  setPassword: 'Set password',
  revokeSecrets: 'Also revoke all access tokens and app passwords',
  passwordOf: (username: string) => `Password of ${username}`,
  passwordOnce: 'Pass it on securely. It is not shown again.',
  noKeys: 'This account has no SSH keys. Its owner adds them after signing in.',
  removeKey: 'Remove key',
  removeKeyNamed: (title: string) => `Remove key ${title}`,
  removeKeyConsequence: (title: string) => `“${title}” stops working at once. Only its owner can add it again.`,
  noSessions: 'Nobody is signed in to this account.',
  endConsequence: 'This device is signed out at once.',
  endAll: 'End all sessions',
  endAllConsequence: (own: boolean): string =>
    own
      ? 'Every device is signed out at once, this one included. You sign in again here.'
      : 'Every device of this account is signed out at once. With the password, it can sign in again.',
  access: 'Access',
  history: 'History',
  done: 'Done.',
  acts: {
    disable: {
      name: 'Disable account',
      explanation: 'Stop every sign-in for now.',
      consequence:
        'Nobody can sign in to this account. Its sessions, tokens, app passwords and SSH keys are refused until you enable it again.',
    },
    enable: {
      name: 'Enable account',
      explanation: 'This account is disabled.',
      consequence: 'People can sign in again. Its sessions, tokens, app passwords and SSH keys work again, too.',
    },
    cancelTwoFactor: {
      name: 'Turn off two-factor',
      explanation: 'For somebody who has lost the authenticator app and the recovery codes.',
      consequence:
        'The password alone is enough to sign in until two-factor is turned on again. Make sure who is asking.',
    },
    revoke: {
      name: 'Revoke everything',
      explanation: 'End all sessions, and revoke all access tokens and app passwords.',
      consequence:
        'All devices and programs are signed out at once. The password, two-factor and SSH keys stay. If somebody else knows the password, set a new one as well.',
    },
    remove: {
      name: 'Delete account',
      explanation: 'Delete this account for good.',
      consequence:
        'The account and its SSH keys, tokens and app passwords are gone at once, and its name is free for others. You cannot undo this. Files stay.',
    },
  },
};
