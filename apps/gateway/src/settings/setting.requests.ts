import { ApiProperty } from '@nestjs/swagger';
import { GoStruct, TextField, WholeField } from '@keyfold/http-envelope';

/** A setting in a request body. compat: the types of all fields are checked, but only key and value are used. */
@GoStruct('SettingItem')
export class SettingRequest {
  @ApiProperty()
  @TextField('Key', { required: true })
  key: string = '';

  @ApiProperty({ required: false })
  @TextField('Value')
  value: string = '';

  @ApiProperty({ required: false, description: 'Ignored.' })
  @TextField('Help')
  help: string = '';

  @ApiProperty({ required: false, description: 'Ignored.' })
  @TextField('Type')
  type: string = '';

  @ApiProperty({ required: false, description: 'Ignored.' })
  @TextField('Options')
  options: string = '';

  @ApiProperty({ type: 'integer', required: false, description: 'Ignored.' })
  @WholeField('Group', 'int')
  group: number = 0;

  @ApiProperty({ type: 'integer', required: false, description: 'Ignored.' })
  @WholeField('Flag', 'int')
  flag: number = 0;

  @ApiProperty({ type: 'integer', required: false, description: 'Ignored.' })
  @WholeField('Index', 'uint64')
  index: number = 0;
}
