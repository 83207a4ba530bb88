import { STATIC_TOKEN_KEY } from '@keyfold/application';
import { factorySettings, settingFlag, settingGroup } from '@keyfold/domain';
import { hash } from 'node:crypto';
import type { OpenlistDatabase, OpenlistSetting } from './openlist-database.js';

const { site, style, preview, global, sso, ldap } = settingGroup;
/** The groups that concern accounts and front ends. The others configure how OpenList handles files. */
const GROUPS: readonly number[] = [site, style, preview, global, sso, ldap];

/** SHA-256 of the factory values of OpenList 4.2.5 that differ from those of Keyfold. Nobody has chosen them. */
const FACTORY_VALUES: ReadonlySet<string> = new Set([
  'announcement 05eb80344405f3de53e81d7ce988e8bb43e4bea57c1fe845c8ad75f3eee8a6bd',
  'iframe_previews fbf57fa7fe3658b00fbb1eea4205b9ffa9ab1f28c4188aa14c14ffa02c1d968e',
  'privacy_regs d62da5f6b6487705c5a0552e4f1e1900130c0698577880947d8cd64968c6e7bd',
  'share_summary_content 80e405f094f6fba145157820b2a428c00c271614aae01320d2cdc3fd68570ae8',
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
