import { needs } from '../needs.js';
import { findProgram, rcloneFolder } from '../programs.js';

await needs("Debian's rclone", 'rclone 1.75');

/** The releases of rclone that the tests run: Debian's, which has no FTP, and a current one. */
export const rclonePrograms = {
  debian: findProgram('rclone', ['/usr/bin']) ?? 'rclone',
  current: findProgram('rclone', [`${rcloneFolder}/bin`]) ?? 'rclone',
};
