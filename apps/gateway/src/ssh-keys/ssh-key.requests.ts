import { ApiProperty } from '@nestjs/swagger';
import { GoStruct, IsInstant, TextField } from '@keyfold/http-envelope';
import { IsInt, IsOptional, IsString, Matches, Min, MinLength, ValidateIf } from 'class-validator';

const expiresProperty = {
  type: 'string',
  format: 'date-time',
  nullable: true,
  required: false,
  example: '2027-01-31T12:00:00Z',
} as const;

@GoStruct('SSHKeyAddReq')
export class AddKeyRequest {
  @ApiProperty({ description: 'The title of the key. Must be unique within the account.' })
  @TextField('Title', { required: true })
  title: string = '';

  @ApiProperty({ description: 'The public key: one line of an `authorized_keys` file, without options.' })
  @TextField('Key', { required: true })
  key: string = '';

  @ApiProperty({
    ...expiresProperty,
    description:
      'From when on the key is refused: in the future, at most ten years ahead. Without it the key never expires.',
  })
  @TextField('Expires')
  expires: string = '';
}

/** A title or an expiry that is not sent stays as it is. An expiry of null means that the key never expires. */
export class UpdateKeyRequest {
  @ApiProperty({ type: 'integer', description: 'The id of the key.' })
  @IsInt({ message: '$property must be a positive integer' })
  @Min(1, { message: '$property must be a positive integer' })
  id: number = 0;

  @ApiProperty({ type: 'string', required: false, description: 'The new title. Must be unique within the account.' })
  @ValidateIf((_, value) => value !== undefined)
  @MinLength(1, { message: '$property must be a text that is not empty' })
  @IsString({ message: '$property must be a text that is not empty' })
  title?: string | undefined = undefined;

  @ApiProperty({
    ...expiresProperty,
    description: 'From when on the key is refused: in the future, at most ten years ahead. With null it never expires.',
  })
  @IsOptional()
  @IsInstant()
  expires?: string | null | undefined = undefined;
}

/** The fingerprint of a key in either format of `ssh-keygen -l`, and where to continue. */
export class FindKeyRequest {
  @ApiProperty({ description: 'As `ssh-keygen -lf` prints it: `SHA256:…`, or `MD5:…` with `-E md5`.' })
  @Matches(/^(SHA256:[A-Za-z0-9+/ ]{43}=?|MD5:[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){15})$/, {
    message: '$property must have the form SHA256:… or MD5:… that ssh-keygen -l prints',
  })
  fingerprint: string = '';

  @Matches(/^\d{1,15}$/, { message: '$property must be an account id' })
  after: string = '0';
}
