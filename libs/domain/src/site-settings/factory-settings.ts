import * as texts from './factory-texts.js';

/** How the settings page of a front end edits the value. Values are always texts. */
export type SettingType = 'string' | 'select' | 'bool' | 'text' | 'number';

/**
 * A setting that Keyfold knows, with its default value (wire contract 4). A save never changes anything but the value. Secret values are
 * sealed before they reach an event.
 */
export type FactorySetting = Readonly<{
  key: string;
  value: string;
  type: SettingType;
  group: number;
  flag: number;
  /** The choices of a select, separated by commas. */
  options: string;
  help: string;
  secret: boolean;
}>;

/** The kinds of settings. Everyone reads public and read-only ones, administrators all. Nobody can change a read-only one. */
export const settingFlag = { public: 0, private: 1, readOnly: 2, deprecated: 3 } as const;

/** The pages on which front ends show settings. */
export const settingGroup = {
  single: 0,
  site: 1,
  style: 2,
  preview: 3,
  global: 4,
  offlineDownload: 5,
  index: 6,
  sso: 7,
  ldap: 8,
  s3: 9,
  ftp: 10,
  traffic: 11,
} as const;

type Group = keyof typeof settingGroup;
type Details = Partial<Pick<FactorySetting, 'options' | 'help'>>;

const define =
  (flag: number, secret: boolean) =>
  (group: Group, key: string, type: SettingType, value: string, { options = '', help = '' }: Details = {}) =>
    ({ key, value, type, group: settingGroup[group], flag, options, help, secret }) satisfies FactorySetting;

const shown = define(settingFlag.public, false);
const readOnly = define(settingFlag.readOnly, false);
const hidden = define(settingFlag.private, false);
const secret = define(settingFlag.private, true);

/** The settings of the original in its order, with its values but our own texts. A setting's index is its place in this list. */
export const factorySettings: readonly FactorySetting[] = [
  readOnly('site', 'version', 'string', ''),
  shown('site', 'site_title', 'string', 'OpenList'),
  shown('site', 'announcement', 'text', texts.announcement),
  shown('site', 'pagination_type', 'select', 'all', { options: 'all,pagination,load_more,auto_load_more' }),
  shown('site', 'default_page_size', 'number', '30'),
  shown('site', 'allow_indexed', 'bool', 'false'),
  shown('site', 'allow_mounted', 'bool', 'true'),
  shown('site', 'robots_txt', 'text', 'User-agent: *\nAllow: /'),
  shown('style', 'logo', 'text', texts.LOGO),
  shown('style', 'favicon', 'string', texts.LOGO),
  shown('style', 'main_color', 'string', '#1890ff'),
  shown('style', 'home_icon', 'string', '🏠'),
  shown('style', 'share_icon', 'string', '🎁'),
  shown('style', 'home_container', 'select', 'max_980px', { options: 'max_980px,hope_container' }),
  shown('style', 'settings_layout', 'select', 'list', { options: 'list,responsive' }),
  hidden('style', 'hide_storage_details', 'bool', 'true'),
  hidden('style', 'hide_storage_details_in_manage_page', 'bool', 'true'),
  shown('style', 'show_disk_usage_in_plain_text', 'bool', 'false'),
  hidden('preview', 'text_types', 'text', texts.textTypes),
  hidden('preview', 'audio_types', 'text', texts.audioTypes),
  hidden('preview', 'video_types', 'text', texts.videoTypes),
  hidden('preview', 'image_types', 'text', texts.imageTypes),
  hidden('preview', 'proxy_types', 'text', 'm3u8,url'),
  hidden('preview', 'proxy_ignore_headers', 'text', 'authorization,referer'),
  shown('preview', 'external_previews', 'text', '{}'),
  shown('preview', 'iframe_previews', 'text', texts.iframePreviews),
  shown('preview', 'audio_cover', 'string', texts.LOGO),
  shown('preview', 'audio_autoplay', 'bool', 'true'),
  shown('preview', 'video_autoplay', 'bool', 'true'),
  shown('preview', 'preview_download_by_default', 'bool', 'false'),
  shown('preview', 'preview_archives_by_default', 'bool', 'true'),
  shown('preview', 'share_preview_download_by_default', 'bool', 'true'),
  shown('preview', 'share_preview_archives_by_default', 'bool', 'false'),
  shown('preview', 'readme_autorender', 'bool', 'true'),
  shown('preview', 'filter_readme_scripts', 'bool', 'true'),
  shown('preview', 'non_efs_zip_encoding', 'string', 'IBM437'),
  shown('global', 'hide_files', 'text', String.raw`/\/README.md/i`),
  shown('global', 'package_download', 'bool', 'true'),
  hidden('global', 'customize_head', 'text', ''),
  hidden('global', 'customize_body', 'text', ''),
  hidden('global', 'link_expiration', 'number', '0'),
  hidden('global', 'sign_all', 'bool', 'true'),
  hidden('global', 'privacy_regs', 'text', texts.privacyPatterns),
  shown('global', 'ocr_api', 'string', 'https://openlistteam-ocr-api-server.hf.space/ocr/file/json'),
  shown('global', 'filename_char_mapping', 'text', '{"/": "|"}'),
  shown('global', 'forward_direct_link_params', 'bool', 'false'),
  shown('global', 'ignore_direct_link_params', 'string', 'sign,openlist_ts,raw'),
  shown('global', 'webauthn_login_enabled', 'bool', 'false'),
  shown('global', 'share_preview', 'bool', 'false'),
  shown('global', 'share_archive_preview', 'bool', 'false'),
  hidden('global', 'share_force_proxy', 'bool', 'true'),
  shown('global', 'share_summary_content', 'text', texts.shareSummary),
  hidden('global', 'handle_hook_after_writing', 'bool', 'false'),
  hidden('global', 'handle_hook_rate_limit', 'number', '0'),
  hidden('global', 'ignore_system_files', 'bool', 'false', {
    help: 'Leave out files such as .DS_Store, Thumbs.db and desktop.ini when uploading',
  }),
  secret('single', 'token', 'string', ''),
  shown('index', 'search_index', 'select', 'none', {
    options: 'database,database_non_full_text,bleve,meilisearch,none',
  }),
  shown('index', 'auto_update_index', 'bool', 'false'),
  hidden('index', 'ignore_paths', 'text', '', { help: 'One path per line' }),
  hidden('index', 'max_index_depth', 'number', '20', { help: 'Maximum depth of indexed folders' }),
  hidden('single', 'index_progress', 'text', '{}'),
  shown('sso', 'sso_login_enabled', 'bool', 'false'),
  shown('sso', 'sso_login_platform', 'select', '', { options: 'Casdoor,Github,Microsoft,Google,Dingtalk,OIDC' }),
  hidden('sso', 'sso_client_id', 'string', ''),
  secret('sso', 'sso_client_secret', 'string', ''),
  hidden('sso', 'sso_oidc_username_key', 'string', 'name'),
  hidden('sso', 'sso_organization_name', 'string', ''),
  hidden('sso', 'sso_application_name', 'string', ''),
  hidden('sso', 'sso_endpoint_name', 'string', ''),
  hidden('sso', 'sso_jwt_public_key', 'text', ''),
  hidden('sso', 'sso_extra_scopes', 'string', ''),
  hidden('sso', 'sso_auto_register', 'bool', 'false'),
  hidden('sso', 'sso_default_dir', 'string', '/'),
  hidden('sso', 'sso_default_permission', 'number', '0'),
  shown('sso', 'sso_compatibility_mode', 'bool', 'false'),
  shown('ldap', 'ldap_login_enabled', 'bool', 'false'),
  hidden('ldap', 'ldap_server', 'string', ''),
  hidden('ldap', 'ldap_skip_tls_verify', 'bool', 'false'),
  hidden('ldap', 'ldap_manager_dn', 'string', ''),
  secret('ldap', 'ldap_manager_password', 'string', ''),
  hidden('ldap', 'ldap_user_search_base', 'string', ''),
  hidden('ldap', 'ldap_user_search_filter', 'string', '(uid=%s)'),
  hidden('ldap', 'ldap_default_dir', 'string', '/'),
  hidden('ldap', 'ldap_default_permission', 'number', '0'),
  shown('ldap', 'ldap_login_tips', 'string', 'login with ldap'),
  secret('s3', 's3_access_key_id', 'string', ''),
  secret('s3', 's3_secret_access_key', 'string', ''),
  hidden('s3', 's3_buckets', 'string', '[]'),
  hidden('ftp', 'ftp_public_host', 'string', '127.0.0.1'),
  hidden('ftp', 'ftp_pasv_port_map', 'text', ''),
  hidden('ftp', 'ftp_mandatory_tls', 'bool', 'false'),
  hidden('ftp', 'ftp_implicit_tls', 'bool', 'false'),
  hidden('ftp', 'ftp_tls_private_key_path', 'string', ''),
  hidden('ftp', 'ftp_tls_public_cert_path', 'string', ''),
  hidden('ftp', 'sftp_disable_password_login', 'bool', 'false'),
  hidden('traffic', 'offline_download_task_threads_num', 'number', '5'),
  hidden('traffic', 'offline_download_transfer_task_threads_num', 'number', '5'),
  hidden('traffic', 'upload_task_threads_num', 'number', '5'),
  hidden('traffic', 'copy_task_threads_num', 'number', '5'),
  hidden('traffic', 'decompress_download_task_threads_num', 'number', '5'),
  hidden('traffic', 'decompress_upload_task_threads_num', 'number', '5'),
  hidden('traffic', 'max_client_download_speed', 'number', '-1'),
  hidden('traffic', 'max_client_upload_speed', 'number', '-1'),
  hidden('traffic', 'max_server_download_speed', 'number', '-1'),
  hidden('traffic', 'max_server_upload_speed', 'number', '-1'),
  shown('traffic', 'multipart_enabled', 'bool', 'true'),
  shown('traffic', 'multipart_chunk_size', 'number', '10', { help: 'Size of a part in MB' }),
  hidden('offlineDownload', '123_temp_dir', 'string', ''),
  // These addresses may contain a user name and a password.
  secret('offlineDownload', 'aria2_uri', 'string', 'http://localhost:6800/jsonrpc'),
  secret('offlineDownload', 'aria2_secret', 'string', ''),
  secret('offlineDownload', 'qbittorrent_url', 'string', 'http://admin:adminadmin@localhost:8080/'),
  hidden('offlineDownload', 'qbittorrent_seedtime', 'number', '0'),
  secret('offlineDownload', 'transmission_uri', 'string', 'http://localhost:9091/transmission/rpc'),
  hidden('offlineDownload', 'transmission_seedtime', 'number', '0'),
];

const byKey: ReadonlyMap<string, FactorySetting> = new Map(factorySettings.map((setting) => [setting.key, setting]));

/** Returns the setting with this key, or undefined if Keyfold does not know it. */
export const factorySetting = (key: string): FactorySetting | undefined => byKey.get(key);

/** Returns whether the value of a setting is sealed: if it is secret, or unknown to Keyfold and therefore possibly secret. */
export const isSealedSetting = (key: string): boolean => byKey.get(key)?.secret ?? true;
