import { describe, expect, it } from 'vitest';
import { GuessingAttack } from './guessing-attack.js';

/** Returns an owner's address in a network that was never used before. */
const newNetwork = (round: number) => ({ address: `203.${round >> 8}.${round & 255}.1` });
const LAPTOP = { address: '20.0.0.7', device: 'laptop' };

/**
 * The chance that a guess is right: three of a million codes are valid, those of the previous, current and next step.
 */
const RIGHT_CODES = 3 / 1_000_000;

describe('thirty days of guesses at the password of one account', () => {
  it('from one network are few, and the owner gets in at once from anywhere else', async () => {
    const attack = new GuessingAttack({ networks: 1, factor: 'password' });
    const waits: number[] = [];
    await attack.run(6, async (round) => void waits.push(await attack.logIn(newNetwork(round))));

    expect(Math.max(...waits)).toBe(0);
    expect(attack.guesses).toBeLessThan(60);
    expect(attack.guesses).toBeGreaterThan(10);
  });

  it('from a thousand networks stay under 20,000, and the owner gets in at once from a new one', async () => {
    const attack = new GuessingAttack({ networks: 1_000, factor: 'password' });
    const waits: number[] = [];
    await attack.run(6, async (round) => void waits.push(await attack.logIn(newNetwork(round))));

    expect(Math.max(...waits)).toBe(0);
    expect(attack.guesses).toBeLessThan(20_000);
    expect(attack.guesses).toBeGreaterThan(2_000);
  });

  it('from five thousand networks stay under 20,000, and a device of the owner gets in at once', async () => {
    const attack = new GuessingAttack({ networks: 5_000, factor: 'password' });
    const waits: number[] = [];
    await attack.run(24, async () => void waits.push(await attack.logIn(LAPTOP)));

    expect(Math.max(...waits)).toBe(0);
    expect(attack.guesses).toBeLessThan(20_000);
    expect(attack.guesses).toBeGreaterThan(5_000);
  });
});

describe('thirty days of guesses at the codes of one account, by an attacker who knows its password', () => {
  it.each([
    { habit: 'never logs in', every: 720 },
    { habit: 'logs in every hour, which resets the count of failures in a row', every: 1 },
  ])('stay below a chance of one in a thousand if the owner $habit', async ({ every }) => {
    const attack = new GuessingAttack({ networks: 2_000, factor: 'one-time-code' });
    const waits: number[] = [];
    await attack.run(every, async () => void waits.push(await attack.logIn(LAPTOP)));

    expect(Math.max(...waits)).toBe(0);
    expect(attack.guesses * RIGHT_CODES).toBeLessThan(0.001);
    expect(attack.guesses).toBeGreaterThan(50);
  });
});
