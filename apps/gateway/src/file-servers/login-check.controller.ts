import { Controller, Req } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { fileProtocols, type LoginProtocol } from '@keyfold/domain';
import { Refusal } from '@keyfold/http-envelope';
import { IsIn, IsIP, IsOptional, Length, MaxLength } from 'class-validator';
import { UNACCEPTED_BODY } from '../openapi/refusal-table.js';
import { checkedBodyOf, originOf, type KeyfoldRequest } from '../request/request-reading.js';
import { Route } from '../request/route.decorator.js';
import { AccountResponse, envelopeOf } from './file-servers.document.js';
import { TEXT_LETTERS } from './key.controller.js';
import { LOGIN_TIMEOUT, FileServerAuthenticator, type AskedLogin } from './file-server-authenticator.js';
import { NeedsScope, SERVER_TOKEN } from './server-token.guard.js';

/** The longest key line. An RSA key of 16,384 bits takes 2,800 letters. */
export const KEY_LETTERS = 16_384;

/** A login that a file server asks about. It has either `password` or `public_key`. */
class LoginToCheck {
  @ApiProperty({ enum: fileProtocols })
  @IsIn(fileProtocols, { message: `$property must be one of ${fileProtocols.join(', ')}` })
  protocol: LoginProtocol = undefined as never;

  @ApiProperty({ description: 'The name of the account.' })
  @Length(1, TEXT_LETTERS, { message: `$property must be a text of 1 to ${TEXT_LETTERS} letters` })
  username: string = '';

  @ApiProperty({
    type: 'string',
    required: false,
    description:
      'The password of the account, or an app password for the protocol. With two-factor, the one-time code follows the password of the ' +
      'account directly, unless `code` is there.',
  })
  @IsOptional()
  @Length(1, TEXT_LETTERS, { message: `$property must be a text of 1 to ${TEXT_LETTERS} letters` })
  password: string | undefined = undefined;

  @ApiProperty({
    type: 'string',
    required: false,
    description: 'Instead of `password`: a line of `authorized_keys`, or the base64 of the key alone.',
  })
  @IsOptional()
  @Length(1, KEY_LETTERS, { message: `$property must be a text of 1 to ${KEY_LETTERS} letters` })
  public_key: string | undefined = undefined;

  @ApiProperty({
    type: 'string',
    required: false,
    description: 'A code that the server asked for separately. Empty if the server can ask for one.',
  })
  @IsOptional()
  @MaxLength(100, { message: '$property must be a text of at most 100 letters' })
  code: string | undefined = undefined;

  @ApiProperty({ type: 'string', required: false, description: "The IP address of the server's client." })
  @IsOptional()
  @IsIP(undefined, { message: '$property must be an IP address' })
  address: string | undefined = undefined;
}

class AdmittedAccountResponse extends AccountResponse {
  @ApiProperty({ description: 'Whether the account may write over the protocol.' }) write!: boolean;
}

class CheckedLoginResponse {
  @ApiProperty({ type: AdmittedAccountResponse, nullable: true }) account!: AdmittedAccountResponse | null;
  @ApiProperty({ type: [String], description: 'What was right.' }) factors!: readonly string[];
  @ApiProperty({ required: false, description: 'The password is right, and the account needs a code.' })
  code_required?: true;
  @ApiProperty({
    required: false,
    description: 'The password is right, but the account is disabled or lacks the permission for the protocol.',
  })
  not_permitted?: true;
}

@ApiTags('logins')
@Controller()
export class LoginCheckController {
  constructor(private readonly authenticator: FileServerAuthenticator) {}

  @Route('POST /logins', {
    id: 'checkLogin',
    summary: 'Check a login',
    description:
      'Checks a password, an app password or an offered key. Whatever the reason of a refusal, `account` is null and `factors` is empty. Only a ' +
      'correct password or app password reveals more. ' +
      'Send either `password` or `public_key`; 429: too many failures.',
    guard: SERVER_TOKEN,
    scope: 'logins:verify',
    body: LoginToCheck,
    answer: envelopeOf(CheckedLoginResponse),
    refusals: UNACCEPTED_BODY,
  })
  @NeedsScope('logins:verify', { handlerTimeout: LOGIN_TIMEOUT })
  async check(@Req() request: KeyfoldRequest): Promise<CheckedLoginResponse> {
    const asked = askedBy(checkedBodyOf(LoginToCheck, request));
    const { account, factors, refusal } = await this.authenticator.check(asked, originOf(request));
    const shown = account && {
      id: account.id,
      username: account.username,
      base_path: account.basePath,
      permission: account.permission,
      write: account.write,
    };
    return {
      account: shown,
      factors,
      ...(refusal === 'code required' && { code_required: true }),
      ...(refusal === 'not permitted' && { not_permitted: true }),
    };
  }
}

function askedBy({ protocol, username, password, public_key: publicKey, code, address }: LoginToCheck): AskedLogin {
  const who = { protocol, username, address };
  if (password !== undefined && publicKey === undefined) return { ...who, password, code };
  if (publicKey === undefined || password !== undefined) throw new Refusal(400, 'send either password or public_key');
  if (code !== undefined) throw new Refusal(400, 'code can only be sent with password');
  return { ...who, publicKey };
}
