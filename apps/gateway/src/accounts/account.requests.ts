import { ApiProperty } from '@nestjs/swagger';
import { FlagField, GoStruct, TextField, WholeField } from '@keyfold/http-envelope';
import type { AccountInput } from '@keyfold/application';

/**
 * compat: every route that takes an account checks the types of all its fields, also of those that it ignores. The types stand
 * there for the documentation, which does not see them otherwise.
 */
@GoStruct('User')
export class UserRequest {
  @ApiProperty({ type: 'integer', required: false })
  @WholeField('ID', 'uint64')
  id: number = 0;

  @ApiProperty()
  @TextField('Username', { required: true })
  username: string = '';

  @ApiProperty({ required: false, description: 'empty keeps the password' })
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

  @ApiProperty({ name: 'sso_id', required: false, description: 'a missing one is cleared' })
  @TextField('SsoID')
  ssoId: string = '';

  @ApiProperty({ name: 'allow_ldap', required: false })
  @FlagField('AllowLdap')
  allowLdap: boolean = false;
}

export function accountInput(request: UserRequest): AccountInput {
  const { id: _id, ...fields } = request;
  return fields;
}
