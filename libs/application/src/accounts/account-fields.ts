/** An account as an administrator writes it. */
export type AccountFields = Readonly<{
  username: string;
  password: string;
  role: number;
  basePath: string;
  permission: number;
  disabled: boolean;
  ssoId: string;
  allowLdap: boolean;
}>;
