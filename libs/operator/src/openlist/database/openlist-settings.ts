import { STATIC_TOKEN_KEY } from '@keyfold/application';
import { factorySettings, settingFlag, settingGroup } from '@keyfold/domain';
import { hash } from 'node:crypto';
import type { OpenlistDatabase, OpenlistSetting } from './openlist-database.js';

const { site, style, preview, global, sso, ldap } = settingGroup;
/** The groups that concern accounts and front ends. The others configure how OpenList handles files. */
const GROUPS: readonly number[] = [site, style, preview, global, sso, ldap];

/** SHA-256 of the factory values of OpenList 4.2.5 and AList 3.62 that differ from those of Keyfold. Nobody has chosen them. */
const FACTORY_VALUES: ReadonlySet<string> = new Set([
  'announcement 05eb80344405f3de53e81d7ce988e8bb43e4bea57c1fe845c8ad75f3eee8a6bd',
  'iframe_previews fbf57fa7fe3658b00fbb1eea4205b9ffa9ab1f28c4188aa14c14ffa02c1d968e',
  'privacy_regs d62da5f6b6487705c5a0552e4f1e1900130c0698577880947d8cd64968c6e7bd',
  'share_summary_content 80e405f094f6fba145157820b2a428c00c271614aae01320d2cdc3fd68570ae8',
  'announcement 45af9a2b97faafa30134ce5b1376f5afecfff03395e8e382688267de40031e5a',
  'audio_cover 53e5598341d9c294ebae985a67d7aabdae4755c302bf9c3e62c31866bd544d21',
  'default_page_size 1a6562590ef19d1045d06c4055742d38288e9e6dcd71ccde5cee80f1d5a774eb',
  'favicon 3979b88664a56d6110b7a098c1f4a1660ade4b6ced8fbccf9413ce4449afb39f',
  'iframe_previews 6a2315421dd7daac67594dc3d7edc9de938db7f908c92d689a70c5d15d565029',
  'ignore_direct_link_params 7dccb68916bf2cf47a47c6e1dd732239c271ca6ceb2a2a43bcaead4c7b60214a',
  'image_types ed39e2407602485d689fe4e5f9d032b051aca1f74562b4b89321d8af0891a00c',
  'logo 3979b88664a56d6110b7a098c1f4a1660ade4b6ced8fbccf9413ce4449afb39f',
  'ocr_api e3158ff7b4f5437439cee5ac9fa6d11756f0dd63e2c73162c8fee0bd94b4c285',
  'text_types 8e5ba7cb42d911481530ff3728ecc0805382aea21610fadf14b9a56896f98f3c',
]);

/** Returns the settings of OpenList that Keyfold can take. The static token is among them only if it is wanted. */
export function settingsToImport(database: OpenlistDatabase, withStaticToken: boolean): readonly OpenlistSetting[] {
  const keys = factorySettings
    .filter(({ key, group, flag }) =>
      key === STATIC_TOKEN_KEY ? withStaticToken : GROUPS.includes(group) && flag !== settingFlag.readOnly,
    )
    .map(({ key }) => key);
  return database
    .settings(keys)
    .filter(({ key, value }) => value === undefined || !FACTORY_VALUES.has(`${key} ${hash('sha256', value, 'hex')}`));
}
