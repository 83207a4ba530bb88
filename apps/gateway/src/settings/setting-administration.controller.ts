import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiQuery, ApiTags } from '@nestjs/swagger';
import {
  ChangeSettingsCommand,
  DeleteSettingCommand,
  GetSettingsQuery,
  ListFactorySettingsQuery,
  ListSettingsQuery,
  ResetApiTokenCommand,
  type ListedSetting,
} from '@keyfold/application';
import { bindList, PreparedResponse } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { callerOf, originOf, queryOf } from '../request/request-reading.js';
import { AdminGuard } from '../session/caller.guard.js';
import { GuardedBy } from '../session/guarded-by.decorator.js';
import { TakesAccessToken } from '../session/takes-access-token.decorator.js';
import { ApiGroups, groupsOf } from './setting-groups.js';
import { SettingRequest } from './setting.requests.js';
import { SettingResponse, settingListSchema, settingOrListSchema } from './setting.responses.js';

@ApiTags('settings')
@Controller('api/admin/setting')
@GuardedBy(AdminGuard)
export class SettingAdministrationController {
  constructor(
    private readonly commandBus: CommandBus,
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Get('list')
  @TakesAccessToken('settings:read')
  @ApiRoute({
    id: 'listSettings',
    summary: 'List settings',
    description:
      'Returns all settings, or those of some groups, with their current values, secrets included. To an access token, the values of ' +
      'settings that are or may be secret are empty.',
    refusals: ['query-too-long', 'setting-group-invalid'],
  })
  @ApiGroups()
  @ApiEnvelope({ model: SettingResponse, schema: settingListSchema })
  list(@Req() request: KeyfoldRequest): Promise<readonly ListedSetting[]> {
    return this.queryBus.execute(new ListSettingsQuery(callerOf(request), groupsOf(queryOf(request))));
  }

  @Get('get')
  @TakesAccessToken('settings:read')
  @ApiRoute({
    id: 'getSetting',
    summary: 'Read settings',
    description:
      'Returns the setting `key`, or a list of the settings `keys` in their order. To an access token, the ' +
      'values of settings that are or may be secret are empty.',
    refusals: ['query-too-long', 'setting-not-found', 'too-many-settings-requested'],
  })
  @ApiQuery({ name: 'key', required: false, description: 'The key of one setting.' })
  @ApiQuery({ name: 'keys', required: false, description: 'Keys separated by commas. Ignored if there is a `key`.' })
  @ApiEnvelope({ model: SettingResponse, schema: settingOrListSchema })
  async get(@Req() request: KeyfoldRequest): Promise<ListedSetting | readonly ListedSetting[]> {
    const query = queryOf(request);
    const key = query.get('key') ?? '';
    const keys = key === '' ? (query.get('keys') ?? '').split(',') : [key];
    const settings = await this.queryBus.execute(new GetSettingsQuery(callerOf(request), keys));
    return key === '' ? settings : settings[0]!;
  }

  @Post('save')
  @HttpCode(200)
  @ApiRoute({
    id: 'saveSettings',
    summary: 'Save settings',
    description:
      'Saves the values of all settings of the list or, if one is refused, of none. The other fields of an item are ' +
      'ignored. Saving a list that was read changes nothing. An unknown setting is kept private.',
    refusals: [
      'body-empty',
      'body-malformed',
      'list-too-long',
      'list-incomplete',
      'no-settings-to-save',
      'setting-key-invalid',
      'api-token-unsuitable',
      'privacy-patterns-invalid',
      'chunk-size-invalid',
      'character-mapping-invalid',
      'search-index-unknown',
      'settings-too-large',
    ],
    idempotent: true,
  })
  @ApiBody({ type: [SettingRequest] })
  @ApiEnvelope()
  async save(@Req() request: KeyfoldRequest): Promise<null> {
    const settings = bindList(SettingRequest, request.body, request.sentContentType);
    const caller = callerOf(request);
    return this.commands.execute(request, (origin) => new ChangeSettingsCommand(caller, settings, origin));
  }

  @Post('delete')
  @HttpCode(200)
  @ApiRoute({
    id: 'deleteSetting',
    summary: 'Delete a deprecated setting',
    description: 'Deletes a setting that Keyfold does not know.',
    refusals: ['query-too-long', 'setting-not-deprecated', 'deleted-setting-not-found'],
    idempotent: true,
  })
  @ApiQuery({ name: 'key', description: 'The key of the setting.' })
  @ApiEnvelope()
  async delete(@Req() request: KeyfoldRequest): Promise<null> {
    const [caller, key] = [callerOf(request), queryOf(request).get('key') ?? ''];
    return this.commands.execute(request, (origin) => new DeleteSettingCommand(caller, key, origin));
  }

  @Post('default')
  @HttpCode(200)
  @TakesAccessToken('settings:read')
  @ApiRoute({
    id: 'listFactorySettings',
    summary: 'List factory settings',
    description:
      'Returns all settings, or those of some groups, with their factory values. Changes nothing: send the list to ' +
      '`saveSettings` to restore the values.',
    refusals: ['query-too-long', 'setting-group-invalid'],
  })
  @ApiGroups()
  @ApiEnvelope({ model: SettingResponse, schema: settingListSchema })
  async default(@Req() request: KeyfoldRequest): Promise<readonly ListedSetting[] | null> {
    const settings = await this.queryBus.execute(new ListFactorySettingsQuery(groupsOf(queryOf(request))));
    // compat: the list of an unknown group is null here, but empty in `list`.
    return settings.length === 0 ? null : settings;
  }

  @Post('reset_token')
  @HttpCode(200)
  @ApiRoute({
    id: 'resetStaticToken',
    summary: 'Replace the static token',
    description: 'Replaces the static token, which is an administrator, and returns the new one.',
    refusals: [],
  })
  @ApiEnvelope({ schema: { type: 'string' } })
  async resetToken(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const token = await this.commandBus.execute(new ResetApiTokenCommand(callerOf(request), originOf(request)));
    // Fastify would send a plain text.
    return PreparedResponse.of(token);
  }
}
