import { ApiProperty } from '@nestjs/swagger';
import { GoStruct, TextField } from '@keyfold/http-envelope';

@GoStruct('LoginReq')
export class LoginRequest {
  @ApiProperty({ description: 'exact, case-sensitive, not trimmed' })
  @TextField('Username', { required: true })
  username: string = '';

  @ApiProperty({ required: false, description: 'the password, or its static hash at the hash route' })
  @TextField('Password')
  password: string = '';

  @ApiProperty({ name: 'otp_code', required: false, description: 'six digits, when two-factor is on' })
  @TextField('OtpCode')
  otpCode: string = '';
}
