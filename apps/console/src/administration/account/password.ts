/** Without letters that are mistaken for digits. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const GROUP = 4;

/** Random bytes of a password: each gives five bits. */
export const PASSWORD_BYTES = 20;

/** Returns a password in groups of four, such as `7k3m-9qxa-0b2c-d4ef-gh5j`. */
export function passwordOf(random: Uint8Array): string {
  const letters = Array.from(random, (byte) => LETTERS[byte % LETTERS.length]!);
  return letters.map((letter, index) => (index > 0 && index % GROUP === 0 ? `-${letter}` : letter)).join('');
}

export const newPassword = (): string => passwordOf(crypto.getRandomValues(new Uint8Array(PASSWORD_BYTES)));
