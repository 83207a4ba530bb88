// Only password hashes, with the parameters and the concurrency of the service.
import { hash, verify } from '@node-rs/argon2';
import { availableParallelism } from 'node:os';
import { answerWith } from '../child.mjs';

const COST = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };
const AT_A_TIME = Math.max(1, availableParallelism() - 1);
const TEXT = 'a'.repeat(64);

/** Returns the hashes verified per second. */
answerWith(async ({ seconds }) => {
  const stored = await hash(TEXT, COST);
  const start = performance.now();
  let made = 0;
  const verifyOn = async () => {
    for (; performance.now() - start < seconds * 1000; made += 1) await verify(stored, TEXT);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, verifyOn));
  return (made * 1000) / (performance.now() - start);
});
