let list: Promise<ReadonlySet<string>> | undefined;

/** Whether the password is among the 49,000 most common ones of the zxcvbn-ts project, in any letter case. The list is loaded at the first call. */
export async function isCommonPassword(password: string): Promise<boolean> {
  // A list that could not be loaded is loaded again.
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
