import { ApiProperty } from '@nestjs/swagger';
import { FlagField, GoStruct, TextField, WholeField } from '@keyfold/http-envelope';
import type { AccountInput } from '@keyfold/application';

/**
 * An account in a request body. compat: every route that accepts an account checks the types of all fields, even of those that it ignores.
 * `@ApiProperty` names the types that OpenAPI cannot infer.
 */
@GoStruct('User')
export class UserRequest {
  @ApiProperty({ type: 'integer', required: false })
  @WholeField('ID', 'uint64')
  id: number = 0;

  @ApiProperty()
  @TextField('Username', { required: true })
  username: string = '';

  @ApiProperty({ required: false, description: 'If empty, the password is unchanged.' })
  @TextField('Password')
  password: string = '';

  @ApiProperty({ name: 'base_path', required: false })
  @TextField('BasePath')
  basePath: string = '';

  @ApiProperty({ type: 'integer', required: false })
  @WholeField('Role', 'int')
  role: number = 0;

  @ApiProperty({ required: false })
  @FlagField('Disabled')
  disabled: boolean = false;

  @ApiProperty({ type: 'integer', required: false })
  @WholeField('Permission', 'int32')
  permission: number = 0;

  @ApiProperty({ name: 'sso_id', required: false, description: 'If missing, the SSO id is cleared.' })
  @TextField('SsoID')
  ssoId: string = '';

  @ApiProperty({ name: 'allow_ldap', required: false })
  @FlagField('AllowLdap')
  allowLdap: boolean = false;
}

/** Returns the fields that the application expects. */
export function accountInput(request: UserRequest): AccountInput {
  const { id: _id, ...fields } = request;
  return fields;
}
