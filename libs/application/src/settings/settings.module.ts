import { Module } from '@nestjs/common';
import {
  ChangeSettingsHandler,
  DeleteSettingHandler,
  PreviewSettingsHandler,
  ResetStaticTokenHandler,
} from './change-settings.js';
import { CurrentPrivacyMask } from './current-privacy-mask.js';
import {
  GetSettingsHandler,
  GetSiteSettingsHandler,
  ListFactorySettingsHandler,
  ListSettingsHandler,
} from './read-settings.js';
import { SettingList } from './setting-list.js';
import { SettingSecrets } from './setting-secrets.js';

@Module({
  providers: [
    SettingList,
    SettingSecrets,
    CurrentPrivacyMask,
    ChangeSettingsHandler,
    DeleteSettingHandler,
    GetSettingsHandler,
    GetSiteSettingsHandler,
    ListFactorySettingsHandler,
    ListSettingsHandler,
    PreviewSettingsHandler,
    ResetStaticTokenHandler,
  ],
  exports: [SettingSecrets],
})
export class SettingsModule {}
