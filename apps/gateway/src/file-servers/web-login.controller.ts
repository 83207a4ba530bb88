import { Controller, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { CheckFileServerLoginCommand } from '@keyfold/application';
import { DomainError, fileProtocols, mayLogInOver, ROLE_ADMIN, type Account } from '@keyfold/domain';
import { Refusal } from '@keyfold/http-envelope';
import { appPasswordHash } from '@keyfold/security';
import { IsIn, IsOptional } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { UNACCEPTED_QUERY } from '../openapi/refusal-table.js';
import { ClientAddress } from '../request/client-address.js';
import { checkedQueryOf, originOf, type KeyfoldRequest } from '../request/request-reading.js';
import { Route } from '../request/route.decorator.js';
import { LOGIN_TIMEOUT } from './file-server-authenticator.js';
import { envelopeOf } from './file-servers.document.js';
import { NeedsScope, WEB_SERVER_TOKEN } from './server-token.guard.js';

/** The groups of an account: `user` for everybody, its role, and the protocols over which it may log in. */
const groups = ['user', 'admin', ...fileProtocols] as const;
type Group = (typeof groups)[number];

class WebLoginQuery {
  @IsOptional()
  @IsIn(groups, { message: `$property must be one of ${groups.join(', ')}` })
  group: Group | undefined = undefined;
}

class WebLoginResponse {
  @ApiProperty({ description: 'The name of the account.' }) username!: string;
  @ApiProperty({ type: [String], description: 'The groups of the account.' }) groups!: readonly Group[];
}

/** The longest name in a request and, percent-encoded, in an answer: web servers have buffers of 4 KiB for all headers of one. */
export const NAME_LETTERS = 2_048;

/** Browsers show a prompt, and send UTF-8. */
const CHALLENGE = 'Basic realm="Keyfold", charset="UTF-8"';

/** Names may contain any letter, also a line break. No two names have the same text, and none has a comma or a space. */
const headerText = encodeURIComponent;

/** Answers web servers that ask about each request before they pass it on, such as `auth_request` of nginx. */
@ApiTags('logins')
@Controller()
export class WebLoginController {
  constructor(
    private readonly commandBus: CommandBus,
    private readonly clientAddress: ClientAddress,
  ) {}

  @Route('GET /web-login', {
    id: 'checkWebLogin',
    summary: 'Check Basic authentication',
    description:
      'Checks the name and the app password that a web server received as Basic authentication. The headers `Remote-User` and `Remote-Groups` ' +
      'of the answer contain the name, percent-encoded, and the groups, separated by commas. The app password must be for `web`; the password ' +
      'of the account is refused. 403: the account is disabled, or not in the group that the web server requires.',
    guard: WEB_SERVER_TOKEN,
    scope: 'logins:verify',
    query: [
      {
        name: 'group',
        required: false,
        schema: { type: 'string', enum: [...groups] },
        description:
          'Refuses accounts outside of this group: `user` contains all, `admin` the administrators, and the others the accounts that may log in ' +
          'over the protocol.',
      },
    ],
    answer: envelopeOf(WebLoginResponse),
    refusals: [...UNACCEPTED_QUERY, 'invalid-credentials', 'too-many-attempts'],
  })
  @NeedsScope('logins:verify', { handlerTimeout: LOGIN_TIMEOUT }, WEB_SERVER_TOKEN.header)
  async check(
    @Req() request: KeyfoldRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebLoginResponse> {
    const { group } = checkedQueryOf(WebLoginQuery, request);
    const account = await this.#accountOf(request);
    if (!account) {
      reply.header('www-authenticate', CHALLENGE);
      throw new DomainError('invalid-credentials');
    }
    const memberOf = groupsOf(account);
    if (group !== undefined && !memberOf.includes(group))
      throw new Refusal(403, `the account is not in the group ${group}`);
    reply.header('remote-user', headerText(account.username)).header('remote-groups', memberOf.join(','));
    return { username: account.username, groups: memberOf };
  }

  /**
   * Returns the account that an app password opens. Other passwords are refused unseen: a web server asks about each request, so each would cost a
   * hash, and a one-time code works only once.
   */
  async #accountOf(request: KeyfoldRequest): Promise<Account | undefined> {
    const given = basicCredentialsOf(request.headers.authorization);
    if (!given || appPasswordHash(given.password) === undefined) return undefined;
    const address = this.clientAddress.of(request);
    const origin = { ...originOf(request), address };
    const login = { protocol: 'web', ...given, code: undefined, address, origin } as const;
    const checked = await this.commandBus.execute(new CheckFileServerLoginCommand(login));
    if (checked === 'not permitted') throw new Refusal(403, 'the account is disabled');
    // The password of an account may have the form of an app password.
    const isOpened = typeof checked === 'object' && checked.factors.includes('app-password');
    return isOpened ? checked.account : undefined;
  }
}

function groupsOf({ role, permission }: Account): Group[] {
  const protocols = fileProtocols.filter((protocol) => mayLogInOver(protocol, permission));
  return ['user', ...(role === ROLE_ADMIN ? (['admin'] as const) : []), ...protocols];
}

/**
 * Reads Basic authentication (RFC 7617) in UTF-8. The first colon ends the name. Returns undefined for every other text, and for a name that is
 * empty or too long.
 */
function basicCredentialsOf(header: string | undefined): Readonly<{ username: string; password: string }> | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = utf8Of(Buffer.from(encoded, 'base64'));
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon < 1) return undefined;
  const username = text.slice(0, colon);
  if (encodeURIComponent(username).length > NAME_LETTERS) return undefined;
  return { username, password: text.slice(colon + 1) };
}

function utf8Of(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
