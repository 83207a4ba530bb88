/** Long factory values. Texts and patterns are our own, the other values are those of the original (wire contract 4). */

export const LOGO = 'https://res.oplist.org/logo/logo.svg';

export const announcement = `### Welcome
Sign in to see your files. The operator of this site can change this text in the settings.`;

export const iframePreviews = JSON.stringify(
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

export const shareSummary = `{{#if creator}}{{creator}} shares with you:{{else}}Shared with you:{{/if}}
{{#each files}}- {{name}}
{{/each}}{{base_url}}/@s/{{id}}{{#if pwd}}
Password: {{pwd}}{{/if}}`;

/** Matches private parts of error messages: IPv4 and IPv6 addresses, and access tokens in URLs. */
export const privacyPatterns = [
  String.raw`(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])`,
  String.raw`(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?::(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?`,
  String.raw`access_token=[^&]*&`,
].join('\n');

export const textTypes =
  'txt,htm,html,xml,java,properties,sql,js,md,json,conf,ini,vue,php,py,bat,gitignore,yml,go,sh,c,cpp,h,hpp,tsx,vtt,srt,ass,rs,lrc,strm';
export const audioTypes = 'mp3,flac,ogg,m4a,wav,opus,wma';
export const videoTypes = 'mp4,mkv,avi,mov,rmvb,webm,flv,m3u8';
export const imageTypes = 'jpg,tiff,jpeg,png,gif,bmp,svg,ico,swf,webp,avif';
