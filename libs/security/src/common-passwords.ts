let list: Promise<ReadonlySet<string>> | undefined;

/** Returns whether the password is one of the 49,000 most common ones of the zxcvbn-ts project, ignoring case. Loads the list at the first call. */
export async function isCommonPassword(password: string): Promise<boolean> {
  // After a failure, the next call loads the list again.
  list ??= load().catch((error: unknown) => {
    list = undefined;
    throw error;
  });
  return (await list).has(password.toLowerCase());
}

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}
