import { Controller, Req, type Type } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import {
  CreateOwnSecretCommand,
  isoTime,
  ListAnySecretsQuery,
  ListOwnSecretsQuery,
  RevokeAnySecretCommand,
  RevokeOwnSecretCommand,
  type AccountSecrets,
  type ListedSecret,
  type SecretKind,
} from '@keyfold/application';
import { instantOf, offsetOf, type InputClass, type PreparedResponse } from '@keyfold/http-envelope';
import { arrayResponse, listResponse } from '../http/list-response.js';
import { UNACCEPTED_BODY, UNACCEPTED_QUERY, type RefusalName } from '../openapi/refusal-table.js';
import { AdminGuard, CallerGuard } from '../request/caller.guard.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import { callerOf, checkedBodyOf, checkedQueryOf, type KeyfoldRequest } from '../request/request-reading.js';
import { Route } from '../request/route.decorator.js';
import { OwnerPageRequest, type StepUpRequest } from './secret.requests.js';

/** Describes the routes of one kind of named secret. `Details` are the fields that only this kind has. */
type SecretRoutes<Details extends object> = Readonly<{
  kind: SecretKind<Details>;
  paths: Readonly<{ own: `/api/me/${string}`; any: `/api/admin/${string}` }>;
  /** How texts and operation ids name a secret. */
  words: Readonly<{ id: string; name: string; short: string }>;
  descriptions: Readonly<Record<'list' | 'create' | 'revoke', string>>;
  /** The refusals of every route for own secrets, and further ones of a creation. */
  refusals: Readonly<{ own: readonly RefusalName[]; create: readonly RefusalName[] }>;
  requests: Readonly<{
    create: InputClass<StepUpRequest & Readonly<{ name: string; expires: string | null }> & Details>;
    revoke: InputClass<Readonly<{ id: number }>>;
  }>;
  responses: Readonly<{ listed: Type; created: Type; page: Type }>;
  /** The names of the fields with the text of a new secret, and with the secrets of an account. */
  fields: Readonly<{ text: string; secrets: string }>;
  detailsOf(secret: Details | ListedSecret<Details>): Details;
}>;

const STEP_UP = 'If the login is older than 10 minutes, send the password or a code.';
const STEP_UP_REFUSALS = [
  'step-up',
  'password-wrong',
  'two-factor-off',
  'one-time-code-invalid',
  'one-time-code-locked',
  'too-many-attempts',
] as const satisfies RefusalName[];

/** Creates the controller of one kind of named secret: own ones, and for administrators those of any account. */
export function secretController<Details extends object>(routes: SecretRoutes<Details>): Type {
  const { kind, paths, words, descriptions, refusals, requests, responses, fields, detailsOf } = routes;
  const { name } = kind;

  const secretResponse = (secret: ListedSecret<Details>): object => ({
    id: secret.id,
    name: secret.name,
    ...detailsOf(secret),
    created: isoTime(secret.createdAt),
    expires: secret.expiresAt === null ? null : isoTime(secret.expiresAt),
    last_used: secret.lastUsedAt === undefined ? null : isoTime(secret.lastUsedAt * 1000),
    expired: secret.isExpired,
  });

  const ownerResponse = ({ accountId, username, secrets }: AccountSecrets<Details>): object => ({
    user_id: accountId,
    username,
    [fields.secrets]: secrets.map(secretResponse),
  });

  @ApiTags(`${words.name}s`)
  @Controller()
  class SecretController {
    constructor(
      private readonly commands: IdempotentCommands,
      private readonly queryBus: QueryBus,
    ) {}

    @Route(`GET ${paths.own}`, {
      id: `list${words.id}s`,
      summary: `List the caller's ${words.name}s`,
      description: descriptions.list,
      guard: CallerGuard,
      answer: [responses.listed],
      refusals: refusals.own,
    })
    async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
      const secrets = await this.queryBus.execute(new ListOwnSecretsQuery(kind, callerOf(request)));
      return arrayResponse(secrets, secretResponse);
    }

    @Route(`POST ${paths.own}`, {
      id: `create${words.id}`,
      summary: `Create an ${words.name}`,
      description: `${descriptions.create} ${STEP_UP}`,
      guard: CallerGuard,
      body: requests.create,
      answer: responses.created,
      refusals: [
        ...UNACCEPTED_BODY,
        ...refusals.own,
        ...refusals.create,
        `${name}-name-too-long`,
        `${name}-expiry-invalid`,
        `${name}-name-taken`,
        `${name}-limit-reached`,
        ...STEP_UP_REFUSALS,
      ],
      idempotent: 'shown once',
    })
    async create(@Req() request: KeyfoldRequest): Promise<object> {
      const body = checkedBodyOf(requests.create, request);
      const expiresAt = body.expires === null ? null : instantOf(body.expires)!;
      const input = { name: body.name, ...detailsOf(body), expiresAt };
      const proof = { password: body.password ?? '', code: body.otp_code ?? '', address: request.clientAddress };
      const created = await this.commands.runShownOnce(
        request,
        (caller, origin) => new CreateOwnSecretCommand(kind, caller, input, proof, origin),
      );
      return { ...secretResponse(created), [fields.text]: created.text };
    }

    @Route(`POST ${paths.own}/revoke`, {
      id: `revoke${words.id}`,
      summary: `Revoke one of the caller's ${words.name}s`,
      description: descriptions.revoke,
      guard: CallerGuard,
      body: requests.revoke,
      answer: null,
      refusals: [...UNACCEPTED_BODY, ...refusals.own, `${name}-not-found`],
      idempotent: true,
    })
    revoke(@Req() request: KeyfoldRequest): Promise<null> {
      const { id } = checkedBodyOf(requests.revoke, request);
      return this.commands.run(request, (caller, origin) => new RevokeOwnSecretCommand(kind, caller, id, origin));
    }

    @Route(`GET ${paths.any}/list`, {
      id: `listAny${words.id}s`,
      summary: `List the ${words.name}s of all accounts`,
      description:
        `Returns the accounts that have ${words.name}s by id, each with all its ${words.short}s. A page ends early when its entries take ` +
        '2 MiB; continue with the next page until page times `per_page` reaches `total`, which also counts accounts that were deleted ' +
        'since. For administrators.',
      guard: AdminGuard,
      query: [{ type: OwnerPageRequest }],
      answer: responses.page,
      refusals: UNACCEPTED_QUERY,
    })
    async listAny(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
      const { page, per_page, user_id } = checkedQueryOf(OwnerPageRequest, request);
      const perPage = Number(per_page);
      const accountId = user_id === undefined ? undefined : Number(user_id);
      const offset = offsetOf({ page: Number(page), perPage });
      const { items, total } = await this.queryBus.execute(new ListAnySecretsQuery(kind, offset, perPage, accountId));
      return listResponse(items, total, ownerResponse);
    }

    @Route(`POST ${paths.any}/revoke`, {
      id: `revokeAny${words.id}`,
      summary: `Revoke any ${words.name}`,
      description: `Refuses the ${words.short} from then on, whatever account it belongs to. For administrators.`,
      guard: AdminGuard,
      body: requests.revoke,
      answer: null,
      refusals: [...UNACCEPTED_BODY, `${name}-not-found`],
      idempotent: true,
    })
    revokeAny(@Req() request: KeyfoldRequest): Promise<null> {
      const { id } = checkedBodyOf(requests.revoke, request);
      return this.commands.run(request, (caller, origin) => new RevokeAnySecretCommand(kind, caller, id, origin));
    }
  }
  return SecretController;
}
