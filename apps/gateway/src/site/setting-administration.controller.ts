import { Controller, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiExtension, ApiProperty, ApiTags, getSchemaPath } from '@nestjs/swagger';
import {
  ChangeSettingsCommand,
  DeleteSettingCommand,
  GetSettingsQuery,
  ListFactorySettingsQuery,
  ListSettingsQuery,
  ResetStaticTokenCommand,
  UNREADABLE_SECRET,
  type ListedSetting,
} from '@keyfold/application';
import { factorySettings } from '@keyfold/domain';
import { atoi, bindList, GoStruct, PreparedResponse, type QueryParameters } from '@keyfold/http-envelope';
import { AdminGuard } from '../request/caller.guard.js';
import { ApiText, ApiWhole } from '../request/documented-fields.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import { callerOf, originOf, queryOf, type KeyfoldRequest } from '../request/request-reading.js';
import { Route } from '../request/route.decorator.js';

/** A setting in a request body. compat: the types of all fields are checked, but only key and value are used. */
@GoStruct('SettingItem')
class SettingRequest {
  @ApiText('Key', { required: true }) key = '';
  @ApiText('Value') value = '';
  @ApiText('Help', { description: 'Ignored.' }) help = '';
  @ApiText('Type', { description: 'Ignored.' }) type = '';
  @ApiText('Options', { description: 'Ignored.' }) options = '';
  @ApiWhole('Group', 'int', { description: 'Ignored.' }) group = 0;
  @ApiWhole('Flag', 'int', { description: 'Ignored.' }) flag = 0;
  @ApiWhole('Index', 'uint64', { description: 'Ignored.' }) index = 0;
}

/** A setting as administrators see it. The order of the fields is part of the contract (wire contract 2.8). */
class SettingResponse {
  @ApiProperty() key!: string;
  @ApiProperty({
    description: `The current value. Secrets are shown, and one that no sealing key opens as \`${UNREADABLE_SECRET}\`.`,
  })
  value!: string;
  @ApiProperty() help!: string;
  @ApiProperty({ enum: ['string', 'select', 'bool', 'text', 'number'] }) type!: string;
  @ApiProperty({ description: 'The choices of a select, separated by commas.' }) options!: string;
  @ApiProperty({ type: 'integer', description: 'See docs/reference/wire-contract.md, section 2.8.' }) group!: number;
  @ApiProperty({ type: 'integer', description: '0: public, 1: private, 2: read-only, 3: deprecated.' }) flag!: number;
  @ApiProperty({ type: 'integer' }) index!: number;
}

const SECRET_SETTINGS = factorySettings.filter(({ secret }) => secret).map(({ key }) => key);

const SETTING = { $ref: getSchemaPath(SettingResponse) };
const SETTING_OR_LIST = { oneOf: [SETTING, { type: 'array', items: SETTING }] };

/** The choice of groups (wire contract 2.8). */
const GROUPS = [
  { name: 'group', required: false, schema: { type: 'integer' }, description: 'A group.' },
  {
    name: 'groups',
    required: false,
    description: 'Groups separated by commas. The parameter `group` is then ignored.',
  },
] as const;

/**
 * Returns the groups that the query chooses, or undefined if it chooses none.
 *
 * @throws Refusal 400 for a group that is not an integer.
 */
function groupsOf(query: QueryParameters): number[] | undefined {
  const groups = query.get('groups');
  if (groups) return groups.split(',').map(atoi);
  const group = query.get('group');
  return group ? [atoi(group)] : undefined;
}

@ApiTags('settings')
@Controller()
export class SettingAdministrationController {
  constructor(
    private readonly commandBus: CommandBus,
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Route('GET /api/admin/setting/list', {
    id: 'listSettings',
    summary: 'List settings',
    description:
      'Returns all settings, or those of some groups, with their current values, secrets included. To an access token, the values of ' +
      'settings that are or may be secret are empty. `x-secret-settings` of this description names those that are.',
    guard: AdminGuard,
    scope: 'settings:read',
    query: GROUPS,
    answer: [SettingResponse],
    refusals: ['query-too-long', 'setting-group-invalid'],
  })
  @ApiExtension('x-secret-settings', SECRET_SETTINGS)
  list(@Req() request: KeyfoldRequest): Promise<readonly ListedSetting[]> {
    return this.queryBus.execute(new ListSettingsQuery(callerOf(request), groupsOf(queryOf(request))));
  }

  @Route('GET /api/admin/setting/get', {
    id: 'getSetting',
    summary: 'Read settings',
    description:
      'Returns the setting `key`, or a list of the settings `keys` in their order. To an access token, the ' +
      'values of settings that are or may be secret are empty.',
    guard: AdminGuard,
    scope: 'settings:read',
    query: [
      { name: 'keys', required: false, description: 'Keys separated by commas. Ignored if there is a `key`.' },
      { name: 'key', required: false, description: 'The key of one setting.' },
    ],
    answer: { data: SETTING_OR_LIST, models: [SettingResponse] },
    refusals: ['query-too-long', 'setting-not-found', 'too-many-settings-requested'],
  })
  async get(@Req() request: KeyfoldRequest): Promise<ListedSetting | readonly ListedSetting[]> {
    const query = queryOf(request);
    const key = query.get('key') ?? '';
    const keys = key === '' ? (query.get('keys') ?? '').split(',') : [key];
    const settings = await this.queryBus.execute(new GetSettingsQuery(callerOf(request), keys));
    return key === '' ? settings : settings[0]!;
  }

  @Route('POST /api/admin/setting/save', {
    id: 'saveSettings',
    summary: 'Save settings',
    description:
      'Saves the values of all settings of the list or, if one is refused, of none. The other fields of an item are ' +
      'ignored. Saving a list that was read changes nothing. An unknown setting is kept private.',
    guard: AdminGuard,
    body: [SettingRequest],
    answer: null,
    refusals: [
      'body-empty',
      'body-malformed',
      'list-too-long',
      'list-incomplete',
      'no-settings-to-save',
      'setting-key-invalid',
      'static-token-unsuitable',
      'privacy-patterns-invalid',
      'chunk-size-invalid',
      'character-mapping-invalid',
      'search-index-unknown',
      'setting-address-unsuitable',
      'settings-too-large',
    ],
    idempotent: true,
  })
  async save(@Req() request: KeyfoldRequest): Promise<null> {
    const settings = bindList(SettingRequest, request.body, request.sentContentType);
    return this.commands.run(request, (caller, origin) => new ChangeSettingsCommand(caller, settings, origin));
  }

  @Route('POST /api/admin/setting/delete', {
    id: 'deleteSetting',
    summary: 'Delete a deprecated setting',
    description: 'Deletes a setting that Keyfold does not know.',
    guard: AdminGuard,
    query: [{ name: 'key', description: 'The key of the setting.' }],
    answer: null,
    refusals: ['query-too-long', 'setting-not-deprecated', 'deleted-setting-not-found'],
    idempotent: true,
  })
  async delete(@Req() request: KeyfoldRequest): Promise<null> {
    const key = queryOf(request).get('key') ?? '';
    return this.commands.run(request, (caller, origin) => new DeleteSettingCommand(caller, key, origin));
  }

  @Route('POST /api/admin/setting/default', {
    id: 'listFactorySettings',
    summary: 'List factory settings',
    description:
      'Returns all settings, or those of some groups, with their factory values. Changes nothing: send the list to ' +
      '`saveSettings` to restore the values.',
    guard: AdminGuard,
    scope: 'settings:read',
    query: GROUPS,
    answer: [SettingResponse],
    refusals: ['query-too-long', 'setting-group-invalid'],
  })
  async default(@Req() request: KeyfoldRequest): Promise<readonly ListedSetting[] | null> {
    const settings = await this.queryBus.execute(new ListFactorySettingsQuery(groupsOf(queryOf(request))));
    // compat: the list of an unknown group is null here, but empty in `list`.
    return settings.length === 0 ? null : settings;
  }

  @Route('POST /api/admin/setting/reset_token', {
    id: 'resetStaticToken',
    summary: 'Replace the static token',
    description: 'Replaces the static token, which is an administrator, and returns the new one.',
    guard: AdminGuard,
    answer: { data: { type: 'string' } },
    refusals: [],
  })
  async resetToken(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const token = await this.commandBus.execute(new ResetStaticTokenCommand(callerOf(request), originOf(request)));
    // Fastify would send a plain text.
    return PreparedResponse.of(token);
  }
}
