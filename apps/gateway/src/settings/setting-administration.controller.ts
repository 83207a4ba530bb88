import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
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
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { callerOf, originOf, queryOf } from '../request/request-reading.js';
import { AdminGuard } from '../session/caller.guard.js';
import { ApiGroups, groupsOf } from './setting-groups.js';
import { SettingRequest } from './setting.requests.js';
import { SettingResponse, settingListSchema, settingOrListSchema } from './setting.responses.js';

@ApiTags('administration')
@ApiSecurity('token')
@Controller('api/admin/setting')
@UseGuards(AdminGuard)
export class SettingAdministrationController {
  constructor(
    private readonly commandBus: CommandBus,
    private readonly queryBus: QueryBus,
  ) {}

  @Get('list')
  @ApiOperation({ summary: 'List all settings, or those of some groups, with their current values' })
  @ApiGroups()
  @ApiEnvelope({ model: SettingResponse, schema: settingListSchema })
  list(@Req() request: KeyfoldRequest): Promise<readonly ListedSetting[]> {
    return this.queryBus.execute(new ListSettingsQuery(groupsOf(queryOf(request))));
  }

  @Get('get')
  @ApiOperation({ summary: 'Read one setting, or a list of several in the order of their keys' })
  @ApiQuery({ name: 'key', required: false, description: 'The key of one setting.' })
  @ApiQuery({ name: 'keys', required: false, description: 'Keys separated by commas. Ignored if there is a `key`.' })
  @ApiEnvelope({ model: SettingResponse, schema: settingOrListSchema })
  async get(@Req() request: KeyfoldRequest): Promise<ListedSetting | readonly ListedSetting[]> {
    const query = queryOf(request);
    const key = query.get('key') ?? '';
    const keys = key === '' ? (query.get('keys') ?? '').split(',') : [key];
    const settings = await this.queryBus.execute(new GetSettingsQuery(keys));
    return key === '' ? settings : settings[0]!;
  }

  @Post('save')
  @HttpCode(200)
  @ApiOperation({ summary: 'Save values of settings: all of them or, if one is refused, none' })
  @ApiBody({ type: [SettingRequest] })
  @ApiEnvelope()
  async save(@Req() request: KeyfoldRequest): Promise<null> {
    const settings = bindList(SettingRequest, request.body, request.sentContentType);
    await this.commandBus.execute(new ChangeSettingsCommand(callerOf(request), settings, originOf(request)));
    return null;
  }

  @Post('delete')
  @HttpCode(200)
  @ApiOperation({ summary: 'Delete a deprecated setting' })
  @ApiQuery({ name: 'key' })
  @ApiEnvelope()
  async delete(@Req() request: KeyfoldRequest): Promise<null> {
    const key = queryOf(request).get('key') ?? '';
    await this.commandBus.execute(new DeleteSettingCommand(callerOf(request), key, originOf(request)));
    return null;
  }

  @Post('default')
  @HttpCode(200)
  @ApiOperation({ summary: 'List the factory values of all settings, or of those of some groups; changes nothing' })
  @ApiGroups()
  @ApiEnvelope({ model: SettingResponse, schema: settingListSchema })
  async default(@Req() request: KeyfoldRequest): Promise<readonly ListedSetting[] | null> {
    const settings = await this.queryBus.execute(new ListFactorySettingsQuery(groupsOf(queryOf(request))));
    // compat: the list of an unknown group is null here, but empty in `list`.
    return settings.length === 0 ? null : settings;
  }

  @Post('reset_token')
  @HttpCode(200)
  @ApiOperation({ summary: 'Replace the static token and return the new one' })
  @ApiEnvelope({ schema: { type: 'string' } })
  async resetToken(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const token = await this.commandBus.execute(new ResetApiTokenCommand(callerOf(request), originOf(request)));
    // Fastify would send a plain text.
    return PreparedResponse.of(token);
  }
}
