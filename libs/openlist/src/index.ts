export { MirrorBlocked, OpenListRefused, OpenListUnavailable } from './openlist.errors.js';
