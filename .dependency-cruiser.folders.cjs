/**
 * Folders of a library or an app import each other in one direction. A file of its own, because rules about folders count every import of a
 * file that is read, and those of specs are free. A folder and the folders within it count as one.
 */
const { options } = require('./.dependency-cruiser.cjs');

module.exports = {
  forbidden: [
    {
      name: 'no circle between the folders of a library or an app',
      comment: 'A folder can be read, tested and moved without those above it.',
      scope: 'folder',
      severity: 'error',
      from: { path: '^((libs|apps)/[^/]+)/src' },
      to: { path: '^$1/src', circular: true },
    },
  ],
  options: { ...options, exclude: { path: ['[.](spec|contract)[.]ts$', '^libs/[^/]+/(testing|golden)/', '^test/'] } },
};
