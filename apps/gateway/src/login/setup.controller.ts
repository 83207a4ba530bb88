import { Controller, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { GetSetupQuery, SetUpAdminCommand } from '@keyfold/application';
import { Length } from 'class-validator';
import { UNACCEPTED_BODY } from '../openapi/refusal-table.js';
import { checkedBodyOf, type KeyfoldRequest } from '../request/request-reading.js';
import { Route } from '../request/route.decorator.js';
import { loginClientOf } from './login.controller.js';

const CODE_LETTERS = 64;
const PASSWORD_LETTERS = 1_024;

class SetupRequest {
  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: CODE_LETTERS,
    description: 'The setup code. Letter case, dashes and white space do not matter.',
  })
  @Length(1, CODE_LETTERS)
  code = '';

  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: PASSWORD_LETTERS,
    description: 'The new password of the admin.',
  })
  @Length(1, PASSWORD_LETTERS)
  password = '';
}

class SetupResponse {
  @ApiProperty({ description: 'Whether the setup awaits its code.' }) open!: boolean;
}

class SetupTokenResponse {
  @ApiProperty({ description: 'A JWT, like that of a login.' }) token!: string;
}

@ApiTags('login')
@Controller()
export class SetupController {
  constructor(
    private readonly commandBus: CommandBus,
    private readonly queryBus: QueryBus,
  ) {}

  @Route('GET /api/auth/setup', {
    id: 'getSetup',
    summary: 'Ask whether the admin can be set up',
    description:
      'The setup is open after the first start, until somebody logs in as the admin or the password of the admin changes. It also ends after ' +
      'ten wrong codes, and `KEYFOLD_SESSION_DAYS` after the first start. It is never open if the operator chose the password or turned the console off.',
    answer: SetupResponse,
    refusals: [],
  })
  get(): Promise<SetupResponse> {
    return this.queryBus.execute(new GetSetupQuery());
  }

  @Route('POST /api/auth/setup', {
    id: 'setUp',
    summary: 'Set the password of the admin with the setup code',
    description:
      'The service prints the code when it starts, on the terminal or in the log, while the setup is open. Returns a token, as a login does.',
    body: SetupRequest,
    answer: SetupTokenResponse,
    refusals: [...UNACCEPTED_BODY, 'setup-refused', 'too-many-attempts', 'password-too-short', 'password-too-common'],
  })
  async setUp(@Req() request: KeyfoldRequest): Promise<SetupTokenResponse> {
    const { code, password } = checkedBodyOf(SetupRequest, request);
    const token = await this.commandBus.execute(new SetUpAdminCommand({ code, password, ...loginClientOf(request) }));
    return { token };
  }
}
