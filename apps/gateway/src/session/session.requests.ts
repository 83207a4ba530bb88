import { ApiProperty } from '@nestjs/swagger';
import { FlagField, GoStruct, TextField, WholeField } from '@keyfold/http-envelope';

@GoStruct('EvictSessionReq')
export class EvictOwnRequest {
  @ApiProperty({ name: 'session_id', required: false, description: 'The session to end; it may be the current one.' })
  @TextField('SessionID')
  sessionId: string = '';

  @ApiProperty({
    required: false,
    description: 'If true, every session but the current one ends, whatever `session_id` is.',
  })
  @FlagField('Others')
  others: boolean = false;
}

@GoStruct('EvictSessionReq')
export class EvictAnyRequest {
  @ApiProperty({ name: 'session_id', required: false, description: 'The session to end.' })
  @TextField('SessionID')
  sessionId: string = '';

  @ApiProperty({
    name: 'user_id',
    type: 'integer',
    required: false,
    description: 'If set, every session of this account ends, whatever `session_id` is.',
  })
  @WholeField('UserID', 'uint64')
  userId: number = 0;
}
