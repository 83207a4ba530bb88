/** A setting and its default value. Everyone may read `public` settings (wire contract 4, flag 0). */
export type FactorySetting = Readonly<{ key: string; value: string; public: boolean }>;

const LOGO = 'https://res.oplist.org/logo/logo.svg';

const announcement = `### Welcome
Sign in to see your files. The operator of this site can change this text in the settings.`;

const iframePreviews = JSON.stringify(
  {
    'doc,docx,xls,xlsx,ppt,pptx': {
      Microsoft: 'https://view.officeapps.live.com/op/view.aspx?src=$e_url',
      Google: 'https://docs.google.com/gview?embedded=true&url=$e_url',
    },
    pdf: { 'PDF.js': 'https://res.oplist.org/pdf.js/web/viewer.html?file=$e_url' },
    epub: { 'EPUB.js': 'https://res.oplist.org/epub.js/viewer.html?url=$e_url' },
  },
  null,
  '\t',
);

const shareSummary = `{{#if creator}}{{creator}} shares with you:{{else}}Shared with you:{{/if}}
{{#each files}}- {{name}}
{{/each}}{{base_url}}/@s/{{id}}{{#if pwd}}
Password: {{pwd}}{{/if}}`;

/** Matches private parts of error messages: IPv4 and IPv6 addresses, and access tokens in URLs. */
const privacyPatterns = [
  String.raw`(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])`,
  String.raw`(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?::(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?`,
  String.raw`access_token=[^&]*&`,
].join('\n');

const shown = (values: Record<string, string>): FactorySetting[] =>
  Object.entries(values).map(([key, value]) => ({ key, value, public: true }));

/** The public settings of the original with its values (but our own texts), and the private settings that Keyfold uses. */
export const factorySettings: readonly FactorySetting[] = [
  ...shown({
    site_title: 'OpenList',
    announcement,
    pagination_type: 'all',
    default_page_size: '30',
    allow_indexed: 'false',
    allow_mounted: 'true',
    robots_txt: 'User-agent: *\nAllow: /',
    logo: LOGO,
    favicon: LOGO,
    main_color: '#1890ff',
    home_icon: '🏠',
    share_icon: '🎁',
    home_container: 'max_980px',
    settings_layout: 'list',
    show_disk_usage_in_plain_text: 'false',
    external_previews: '{}',
    iframe_previews: iframePreviews,
    audio_cover: LOGO,
    audio_autoplay: 'true',
    video_autoplay: 'true',
    preview_download_by_default: 'false',
    preview_archives_by_default: 'true',
    share_preview_download_by_default: 'true',
    share_preview_archives_by_default: 'false',
    readme_autorender: 'true',
    filter_readme_scripts: 'true',
    non_efs_zip_encoding: 'IBM437',
    hide_files: String.raw`/\/README.md/i`,
    package_download: 'true',
    ocr_api: 'https://openlistteam-ocr-api-server.hf.space/ocr/file/json',
    filename_char_mapping: '{"/": "|"}',
    forward_direct_link_params: 'false',
    ignore_direct_link_params: 'sign,openlist_ts,raw',
    webauthn_login_enabled: 'false',
    share_preview: 'false',
    share_archive_preview: 'false',
    share_summary_content: shareSummary,
    search_index: 'none',
    auto_update_index: 'false',
    sso_login_enabled: 'false',
    sso_login_platform: '',
    sso_compatibility_mode: 'false',
    ldap_login_enabled: 'false',
    ldap_login_tips: 'login with ldap',
    multipart_enabled: 'true',
    multipart_chunk_size: '10',
  }),
  { key: 'privacy_regs', value: privacyPatterns, public: false },
];
