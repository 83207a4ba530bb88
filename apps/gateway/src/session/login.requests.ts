import { ApiProperty } from '@nestjs/swagger';
import { GoStruct, TextField } from '@keyfold/http-envelope';

@GoStruct('LoginReq')
export class LoginRequest {
  @ApiProperty({ description: 'Case-sensitive; not trimmed.' })
  @TextField('Username', { required: true })
  username: string = '';

  @ApiProperty({ required: false, description: 'The password, or its static hash on the route `login/hash`.' })
  @TextField('Password')
  password: string = '';

  @ApiProperty({
    name: 'otp_code',
    required: false,
    description: 'Six digits, or a recovery code; required if two-factor login is on.',
  })
  @TextField('OtpCode')
  otpCode: string = '';
}
