/** A user of OpenList. An update replaces it, so a reference keeps the rights of its time. */
export type User = Readonly<{
  id: number;
  username: string;
  base_path: string;
  role: number;
  disabled: boolean;
  permission: number;
  sso_id: string;
  allow_ldap: boolean;
  passwordHash: string;
  /** Seconds since 1970 of the last password, which a token must name. */
  passwordTime: number;
}>;
