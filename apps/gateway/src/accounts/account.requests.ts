import { ApiProperty } from '@nestjs/swagger';
import { FlagField, GoStruct, TextField, WholeField } from '@keyfold/http-envelope';
import type { WrittenAccount } from '@keyfold/application';

/** compat: every route that takes an account checks the types of all its fields, also of those that it ignores. */
@GoStruct('User')
export class UserRequest {
  @ApiProperty({ type: 'integer', required: false })
  @WholeField('ID', 'uint64')
  id = 0;

  @ApiProperty()
  @TextField('Username', { required: true })
  username = '';

  @ApiProperty({ required: false, description: 'empty keeps the password' })
  @TextField('Password')
  password = '';

  @ApiProperty({ name: 'base_path', required: false })
  @TextField('BasePath')
  basePath = '';

  @ApiProperty({ type: 'integer', required: false })
  @WholeField('Role', 'int')
  role = 0;

  @ApiProperty({ required: false })
  @FlagField('Disabled')
  disabled = false;

  @ApiProperty({ type: 'integer', required: false })
  @WholeField('Permission', 'int32')
  permission = 0;

  @ApiProperty({ name: 'sso_id', required: false, description: 'a missing one is cleared' })
  @TextField('SsoID')
  ssoId = '';

  @ApiProperty({ name: 'allow_ldap', required: false })
  @FlagField('AllowLdap')
  allowLdap = false;
}

export function writtenAccount(request: UserRequest): WrittenAccount {
  const { id: _id, ...fields } = request;
  return fields;
}
