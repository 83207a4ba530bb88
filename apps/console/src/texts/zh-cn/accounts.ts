import type { Texts } from '../en.js';

export const accounts: Texts['accounts'] = {
  title: '账户管理',
  create: '新建账户',
  search: '按用户名搜索',
  order: '排序',
  oldestFirst: '最早创建的在前',
  newestFirst: '最新创建的在前',
  count: (_, shown) => `共 ${shown} 个账户`,
  nothingFound: '没有用户名包含此内容。请缩短搜索内容，或新建账户。',
  firstPage: '回到第一页',
};

export const account: Texts['account'] = {
  title: '账户',
  toList: '所有账户',
  id: 'ID',
  role: '角色',
  facts: (role, id) => `${role}，ID ${id}`,
  own: '本人',
  guestHint: '未登录的请求以访客身份进行；访客停用时，这些请求会被拒绝。访客没有 SSH 密钥和两步验证，也不能删除。',
  administratorHint: '管理员账户不能停用或删除。',
  folderHint: '该账户只能看到此文件夹及其中的内容。',
  nameConsequence: '修改用户名后，该账户的所有会话都会退出登录。',
  ssoId: 'SSO ID',
  ssoHint: '此人在单点登录系统中的 ID，通常为空。',
  undo: '撤销修改',
  collision: (fields) =>
    `其他人刚刚修改了此账户的${fields}，您的修改尚未保存。再次保存将覆盖对方的修改；撤销修改可查看对方的内容。`,
  fields: { username: '用户名', base_path: '文件夹', sso_id: 'SSO ID', permission: '权限' },
  password: '新密码',
  ownPassword: '请在“密码与两步验证”中修改自己的密码',
  passwordConsequence: '设置新密码会结束该账户的所有会话。SSH 密钥、访问令牌和应用密码不受影响。',
  generate: '自动生成密码',
  generateHint: '密码只显示一次，请转交给使用者。',
  setPassword: '设置密码',
  revokeSecrets: '同时吊销所有访问令牌和应用密码',
  passwordOf: (username) => `${username} 的密码`,
  passwordOnce: '请通过安全的方式转交。此密码不会再次显示。',
  noKeys: '该账户没有 SSH 密钥。使用者登录后可自行添加。',
  removeKey: '移除密钥',
  removeKeyNamed: (title) => `移除密钥 ${title}`,
  removeKeyConsequence: (title) => `“${title}”将立即失效。只有使用者本人可以重新添加。`,
  noSessions: '目前没有人登录此账户。',
  endConsequence: '该设备将立即退出登录。',
  endAll: '结束所有会话',
  endAllConsequence: (own) =>
    own
      ? '所有设备（包括本设备）将立即退出登录。您需要在此重新登录。'
      : '该账户的所有设备将立即退出登录，之后仍可凭密码登录。',
  access: '访问控制',
  history: '活动记录',
  done: '已完成。',
  acts: {
    disable: {
      name: '停用账户',
      explanation: '暂时禁止一切登录。',
      consequence: '任何人都无法登录此账户，其会话、令牌、应用密码和 SSH 密钥在重新启用前均会被拒绝。',
    },
    enable: {
      name: '启用账户',
      explanation: '此账户已停用。',
      consequence: '可以重新登录此账户，之前的会话、令牌、应用密码和 SSH 密钥也会恢复有效。',
    },
    cancelTwoFactor: {
      name: '关闭两步验证',
      explanation: '适用于丢失了身份验证器应用和恢复码的使用者。',
      consequence: '在重新开启之前，仅凭密码即可登录。请先确认对方的身份。',
    },
    revoke: {
      name: '全部吊销',
      explanation: '结束所有会话，并吊销所有访问令牌和应用密码。',
      consequence: '所有设备和程序将立即退出登录。密码、两步验证和 SSH 密钥保留。如果密码已泄露，请同时设置新密码。',
    },
    remove: {
      name: '删除账户',
      explanation: '永久删除此账户。',
      consequence: '账户及其 SSH 密钥、令牌和应用密码将立即消失，用户名可供他人使用。此操作无法撤销。文件会保留。',
    },
  },
};
