import { ApiProperty } from '@nestjs/swagger';
import { accountOfAppPassword, appPasswordProtocols, type AppPasswordProtocol } from '@keyfold/domain';
import { IsInstant } from '@keyfold/http-envelope';
import { IsIn, IsOptional, Length } from 'class-validator';
import { IsNumberedId } from '../request/is-numbered-id.decorator.js';

/** The fields of a new app password. */
export class CreateAppPasswordRequest {
  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: 100,
    description: 'Must be unique among the app passwords of the account that have not expired.',
  })
  @Length(1, 100)
  name: string = '';

  @ApiProperty({
    type: 'string',
    enum: [...appPasswordProtocols],
    description: 'The protocol over which it opens a login; `any` stands for all of them.',
  })
  @IsIn(appPasswordProtocols)
  protocol: AppPasswordProtocol | undefined = undefined;

  @ApiProperty({
    oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }],
    required: false,
    description: 'When the app password expires, at most ten years from now. If missing or null, it never expires.',
  })
  @IsOptional()
  @IsInstant()
  expires: string | null = null;
}

/** Names the app password to revoke. */
export class RevokeAppPasswordRequest {
  @ApiProperty({ type: 'integer', description: 'The id of the app password.' })
  @IsNumberedId(accountOfAppPassword, 'an app password')
  id: number = 0;
}
