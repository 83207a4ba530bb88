// npm run pin-images: pins the images of other projects by the digests that their tags have in the registry now. To raise an image, change
// its tag first. Needs docker with buildx, and access to the registry. Changes nothing if one look-up fails.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const FILES = [
  'docker-compose.yml',
  'deploy/Dockerfile',
  'deploy/openlist/compose.yml',
  'deploy/openssh/Dockerfile',
  '.github/workflows/ci.yml',
];
/** An image with its tag. The tag stays beside the digest for readers; Docker ignores it then. */
const REFERENCE = /^(FROM | +image: )([a-z]+(?:\/[a-z]+)?:v?\d[\w.-]+)(?:@(sha256:[0-9a-f]{64}))?(?=\s)/gm;

const texts = new Map(FILES.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const images = new Set(
  [...texts.values()].flatMap((text) => [...text.matchAll(REFERENCE)].map(([, , image]) => image)),
);
const digests = new Map([...images].map((image) => [image, digestOf(image)]));

for (const [file, text] of texts) {
  const pinned = text.replaceAll(REFERENCE, (_, start, image, before) => {
    const digest = digests.get(image);
    if (digest !== before) console.log(`${file}: ${image}@${digest}`);
    return `${start}${image}@${digest}`;
  });
  if (pinned !== text) writeFileSync(join(root, file), pinned);
}

/** Returns the digest of the index of all platforms. */
function digestOf(image) {
  const words = ['buildx', 'imagetools', 'inspect', '--format', '{{json .Manifest}}', image];
  try {
    const { digest } = JSON.parse(
      execFileSync('docker', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    if (/^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
    throw new Error(`the answer has no digest`);
  } catch (error) {
    const reason = String(error.stderr ?? '').trim() || error.message;
    console.error(
      `Cannot look up ${image}: ${reason}\nNothing was changed. Check docker buildx, the tag and the access to the registry.`,
    );
    process.exit(1);
  }
}
