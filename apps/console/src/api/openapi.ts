// Generated from /openapi.json by `npm run docs`.
export type components = {
  schemas: {
    Routes: {
      '/api/auth/login': {
        post: {
          body: components['schemas']['LoginRequest'];
          data: components['schemas']['TokenResponse'] | null;
        };
      };
      '/api/auth/logout': {
        get: {
          data: null;
        };
      };
      '/api/auth/setup': {
        get: {
          data: components['schemas']['SetupResponse'] | null;
        };
        post: {
          body: components['schemas']['SetupRequest'];
          data: components['schemas']['SetupTokenResponse'] | null;
        };
      };
      '/api/auth/2fa/generate': {
        post: {
          data: components['schemas']['EnrolmentResponse'] | null;
        };
      };
      '/api/auth/2fa/verify': {
        post: {
          body: components['schemas']['VerifyRequest'];
          data: null;
        };
      };
      '/api/auth/2fa/disable': {
        post: {
          body: components['schemas']['ProofRequest'];
          data: null;
        };
      };
      '/api/auth/2fa/recovery_codes': {
        post: {
          body: components['schemas']['ProofRequest'];
          data: components['schemas']['RecoveryCodesResponse'] | null;
        };
      };
      '/api/me': {
        get: {
          data: components['schemas']['MeResponse'] | null;
        };
      };
      '/api/me/update': {
        post: {
          body: components['schemas']['UserUpdateRequest'];
          data: null;
        };
      };
      '/api/me/revoke-everything': {
        post: {
          data: components['schemas']['RevokedEverythingResponse'] | null;
        };
      };
      '/api/me/sshkey/list': {
        get: {
          query: {
            /** @default 1 */
            page?: number;
            per_page?: number;
          };
          data: components['schemas']['SshKeyPageResponse'] | null;
        };
      };
      '/api/me/sshkey/add': {
        post: {
          body: components['schemas']['AddKeyRequest'];
          data: null;
        };
      };
      '/api/me/sshkey/update': {
        post: {
          body: components['schemas']['UpdateKeyRequest'];
          data: null;
        };
      };
      '/api/me/sshkey/delete': {
        post: {
          query: {
            id: number;
          };
          data: null;
        };
      };
      '/api/admin/user/list': {
        get: {
          query: {
            /** @default 1 */
            page?: number;
            per_page?: number;
            search?: string;
            /**
             * @default id
             * @enum {string}
             */
            sort?: 'id' | '-id';
          };
          data: components['schemas']['UserPageResponse'] | null;
        };
      };
      '/api/admin/user/get': {
        get: {
          query: {
            id: number;
          };
          data: components['schemas']['UserResponse'] | null;
        };
      };
      '/api/admin/user/create': {
        post: {
          body: components['schemas']['UserRequest'];
          data: null;
        };
      };
      '/api/admin/user/update': {
        post: {
          body: components['schemas']['UserUpdateRequest'];
          data: null;
        };
      };
      '/api/admin/user/delete': {
        post: {
          query: {
            id: number;
          };
          data: null;
        };
      };
      '/api/admin/user/cancel_2fa': {
        post: {
          query: {
            id: number;
          };
          data: null;
        };
      };
      '/api/admin/user/revoke-everything': {
        post: {
          query: {
            id: number;
          };
          data: null;
        };
      };
      '/api/admin/user/sshkey/list': {
        get: {
          query: {
            /** @default 1 */
            page?: number;
            per_page?: number;
            uid: number;
          };
          data: components['schemas']['SshKeyPageResponse'] | null;
        };
      };
      '/api/admin/user/sshkey/delete': {
        post: {
          query: {
            id: number;
          };
          data: null;
        };
      };
      '/api/admin/sshkey/find': {
        get: {
          query: {
            after?: number;
            fingerprint: unknown;
          };
          data: components['schemas']['SshKeyOwnersResponse'] | null;
        };
      };
      '/api/admin/setting/list': {
        get: {
          query: {
            group?: number;
            groups?: unknown;
          };
          data: components['schemas']['SettingResponse'][] | null;
        };
      };
      '/api/admin/setting/get': {
        get: {
          query: {
            keys?: unknown;
            key?: unknown;
          };
          data: (components['schemas']['SettingResponse'] | components['schemas']['SettingResponse'][]) | null;
        };
      };
      '/api/admin/setting/save': {
        post: {
          body: components['schemas']['SettingRequest'][];
          data: null;
        };
      };
      '/api/admin/setting/reset_token': {
        post: {
          data: string | null;
        };
      };
      '/api/me/tokens': {
        get: {
          data: components['schemas']['AccessTokenResponse'][] | null;
        };
        post: {
          body: components['schemas']['CreateAccessTokenRequest'];
          data: components['schemas']['NewAccessTokenResponse'] | null;
        };
      };
      '/api/me/tokens/revoke': {
        post: {
          body: components['schemas']['RevokeAccessTokenRequest'];
          data: null;
        };
      };
      '/api/admin/token/list': {
        get: {
          query: {
            /** @default 1 */
            page?: number;
            /** @default 1000 */
            per_page?: number;
            user_id?: number;
          };
          data: components['schemas']['AccessTokenPageResponse'] | null;
        };
      };
      '/api/admin/token/revoke': {
        post: {
          body: components['schemas']['RevokeAccessTokenRequest'];
          data: null;
        };
      };
      '/api/me/app_passwords': {
        get: {
          data: components['schemas']['AppPasswordResponse'][] | null;
        };
        post: {
          body: components['schemas']['CreateAppPasswordRequest'];
          data: components['schemas']['NewAppPasswordResponse'] | null;
        };
      };
      '/api/me/app_passwords/revoke': {
        post: {
          body: components['schemas']['RevokeAppPasswordRequest'];
          data: null;
        };
      };
      '/api/admin/app_password/list': {
        get: {
          query: {
            /** @default 1 */
            page?: number;
            /** @default 1000 */
            per_page?: number;
            user_id?: number;
          };
          data: components['schemas']['AppPasswordPageResponse'] | null;
        };
      };
      '/api/admin/app_password/revoke': {
        post: {
          body: components['schemas']['RevokeAppPasswordRequest'];
          data: null;
        };
      };
      '/api/me/sessions': {
        get: {
          data: components['schemas']['SessionResponse'][] | null;
        };
      };
      '/api/me/sessions/evict': {
        post: {
          body: components['schemas']['EvictOwnRequest'];
          data: null;
        };
      };
      '/api/admin/session/list': {
        get: {
          query: {
            /** @default 1 */
            page?: number;
            per_page?: number;
            user_id?: number;
          };
          data: components['schemas']['SessionPageResponse'] | null;
        };
      };
      '/api/admin/session/evict': {
        post: {
          body: components['schemas']['EvictAnyRequest'];
          data: null;
        };
      };
      '/api/me/activity': {
        get: {
          query: {
            type?: string;
            /** Format: date-time */
            from?: string;
            /** Format: date-time */
            until?: string;
            /** @default 50 */
            limit?: number;
            cursor?: string;
          };
          data: components['schemas']['ActivityPageResponse'] | null;
        };
      };
      '/api/admin/user/activity': {
        get: {
          query: {
            type?: string;
            /** Format: date-time */
            from?: string;
            /** Format: date-time */
            until?: string;
            /** @default 50 */
            limit?: number;
            cursor?: string;
            id: number;
            actor?: string;
          };
          data: components['schemas']['ActivityPageResponse'] | null;
        };
      };
      '/api/admin/overview': {
        get: {
          data: components['schemas']['OverviewResponse'] | null;
        };
      };
      '/api/admin/parked': {
        get: {
          query: {
            kind?: string;
            /** @default 1 */
            page?: number;
            /** @default 50 */
            per_page?: number;
          };
          data: components['schemas']['ParkedPageResponse'] | null;
        };
      };
      '/api/admin/parked/retry': {
        post: {
          body: components['schemas']['RetryRequest'];
          data: components['schemas']['RetriedResponse'] | null;
        };
      };
    };
    TokenResponse: {
      token: string;
      device_token?: string;
    };
    LoginRequest: {
      username: string;
      password?: string;
      otp_code?: string;
    };
    SetupResponse: {
      open: boolean;
    };
    SetupTokenResponse: {
      token: string;
    };
    SetupRequest: {
      code: string;
      password: string;
    };
    EnrolmentResponse: {
      qr: string;
      secret: string;
    };
    VerifyRequest: {
      code: string;
      secret: string;
    };
    ProofRequest: {
      password?: string;
      otp_code?: string;
    };
    RecoveryCodesResponse: {
      recovery_codes: string[];
    };
    MeResponse: {
      id: number;
      username: string;
      password: string;
      base_path: string;
      role: number;
      disabled: boolean;
      permission: number;
      sso_id: string;
      allow_ldap: boolean;
      otp: boolean;
      recovery_codes_left?: number;
      recovery_codes_low?: boolean;
    };
    UserUpdateRequest: {
      id?: number;
      username: string;
      password?: string;
      base_path?: string;
      role?: number;
      disabled?: boolean;
      permission?: number;
      sso_id?: string;
      allow_ldap?: boolean;
      revoke_secrets?: boolean;
    };
    RevokedEverythingResponse: {
      logged_out: boolean;
    };
    SshKeyResponse: {
      id: number;
      title: string;
      fingerprint: string;
      /** Format: date-time */
      added_time: string;
      /** Format: date-time */
      last_used_time: string;
      type: string;
      bits: number;
      comment: string;
      fingerprint_md5: string;
      /** Format: date-time */
      expires_time: string | null;
      expired: boolean;
    };
    SshKeyPageResponse: {
      content: components['schemas']['SshKeyResponse'][];
      total: number;
    };
    AddKeyRequest: {
      title: string;
      key: string;
      /** Format: date-time */
      expires?: string | null;
    };
    UpdateKeyRequest: {
      id: number;
      title?: string;
      /** Format: date-time */
      expires?: string | null;
    };
    UserResponse: {
      id: number;
      username: string;
      password: string;
      base_path: string;
      role: number;
      disabled: boolean;
      permission: number;
      sso_id: string;
      allow_ldap: boolean;
    };
    UserPageResponse: {
      content: components['schemas']['UserResponse'][];
      total: number;
    };
    UserRequest: {
      id?: number;
      username: string;
      password?: string;
      base_path?: string;
      role?: number;
      disabled?: boolean;
      permission?: number;
      sso_id?: string;
      allow_ldap?: boolean;
    };
    SshKeyOwnerResponse: {
      user_id: number;
      username: string;
      disabled: boolean;
      key_id: number;
      title: string;
      /** Format: date-time */
      expires_time: string | null;
      expired: boolean;
    };
    SshKeyOwnersResponse: {
      content: components['schemas']['SshKeyOwnerResponse'][];
      next: number | null;
    };
    SettingResponse: {
      key: string;
      value: string;
      help: string;
      /** @enum {string} */
      type: 'string' | 'select' | 'bool' | 'text' | 'number';
      options: string;
      group: number;
      flag: number;
      index: number;
    };
    SettingRequest: {
      key: string;
      value?: string;
      help?: string;
      type?: string;
      options?: string;
      group?: number;
      flag?: number;
      index?: number;
    };
    AccessTokenResponse: {
      id: number;
      name: string;
      scopes: string[];
      /** Format: date-time */
      created: string;
      expires: string | null;
      last_used: string | null;
      expired: boolean;
    };
    NewAccessTokenResponse: {
      id: number;
      name: string;
      scopes: string[];
      /** Format: date-time */
      created: string;
      expires: string | null;
      last_used: string | null;
      expired: boolean;
      token: string;
    };
    CreateAccessTokenRequest: {
      password?: string;
      otp_code?: string;
      name: string;
      scopes: (
        | 'profile:read'
        | 'activity:read'
        | 'keys:manage'
        | 'files'
        | 'accounts:read'
        | 'accounts:manage'
        | 'accounts:audit'
        | 'settings:read'
        | 'keys:find'
        | 'keys:look-up'
        | 'logins:verify'
      )[];
      expires?: string | null;
    };
    RevokeAccessTokenRequest: {
      id: number;
    };
    AccessTokenHolderResponse: {
      user_id: number;
      username: string;
      tokens: components['schemas']['AccessTokenResponse'][];
    };
    AccessTokenPageResponse: {
      content: components['schemas']['AccessTokenHolderResponse'][];
      total: number;
    };
    AppPasswordResponse: {
      id: number;
      name: string;
      protocol: string;
      /** Format: date-time */
      created: string;
      expires: string | null;
      last_used: string | null;
      expired: boolean;
    };
    NewAppPasswordResponse: {
      id: number;
      name: string;
      protocol: string;
      /** Format: date-time */
      created: string;
      expires: string | null;
      last_used: string | null;
      expired: boolean;
      password: string;
    };
    CreateAppPasswordRequest: {
      password?: string;
      otp_code?: string;
      name: string;
      /** @enum {string} */
      protocol: 'sftp' | 'webdav' | 'ftp' | 'any' | 'web';
      expires?: string | null;
    };
    RevokeAppPasswordRequest: {
      id: number;
    };
    AppPasswordHolderResponse: {
      user_id: number;
      username: string;
      app_passwords: components['schemas']['AppPasswordResponse'][];
    };
    AppPasswordPageResponse: {
      content: components['schemas']['AppPasswordHolderResponse'][];
      total: number;
    };
    SessionResponse: {
      session_id: string;
      user_id: number;
      last_active: number;
      status: number;
      ua: string;
      ip: string;
      started: number;
      expires: number;
      current: boolean;
      factors: string[];
    };
    EvictOwnRequest: {
      session_id?: string;
      others?: boolean;
    };
    AnySessionResponse: {
      session_id: string;
      user_id: number;
      last_active: number;
      status: number;
      ua: string;
      ip: string;
      started: number;
      expires: number;
      current: boolean;
      factors: string[];
      username: string;
    };
    SessionPageResponse: {
      content: components['schemas']['AnySessionResponse'][];
      total: number;
    };
    EvictAnyRequest: {
      session_id?: string;
      user_id?: number;
    };
    ActorResponse: {
      kind: string;
      account_id: number | null;
      username: string;
      token_id: number | null;
    };
    ActivityResponse: {
      id: string;
      /** Format: date-time */
      time: string;
      type: string;
      account_id: number | null;
      username: string;
      actor: components['schemas']['ActorResponse'];
      session_id: string;
      ip: string;
      ua: string;
      correlation_id: string;
      details: {
        [key: string]: unknown;
      };
    };
    ActivityPageResponse: {
      content: components['schemas']['ActivityResponse'][];
      next_cursor: string;
    };
    OpenListResponse: {
      /** @enum {string} */
      state: 'up' | 'warning' | 'down';
      url: string;
      pending: number;
      parked: number;
    };
    PartResponse: {
      name: string;
      /** @enum {string} */
      state: 'up' | 'warning' | 'down';
      detail: string;
    };
    ReaderResponse: {
      name: string;
      lag: number;
      parked: number;
    };
    LoginHourResponse: {
      /** Format: date-time */
      hour: string;
      accepted: number;
      refused: number;
    };
    OverviewResponse: {
      version: string;
      /** @enum {string} */
      store: 'sqlite' | 'mongodb';
      parts: components['schemas']['PartResponse'][];
      readers: components['schemas']['ReaderResponse'][];
      logins: components['schemas']['LoginHourResponse'][];
      openlist: components['schemas']['OpenListResponse'] | null;
    };
    ParkedResponse: {
      /** @enum {string} */
      kind: 'projection' | 'event' | 'openlist' | 'message';
      id: string;
      account_id: number | null;
      /** Format: date-time */
      since: string | null;
      error: string;
    };
    ParkedPageResponse: {
      content: components['schemas']['ParkedResponse'][];
      total: number;
      includes_messages: boolean;
    };
    RetriedResponse: {
      parked: boolean;
    };
    RetryRequest: {
      /** @enum {string} */
      kind: 'projection' | 'event' | 'openlist' | 'message';
      id: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
};

/** The keys of the settings whose values are secret. */
export const SECRET_SETTINGS: readonly string[] = [
  'token',
  'sso_client_secret',
  'ldap_manager_password',
  's3_access_key_id',
  's3_secret_access_key',
  'aria2_uri',
  'aria2_secret',
  'qbittorrent_url',
  'transmission_uri',
];
