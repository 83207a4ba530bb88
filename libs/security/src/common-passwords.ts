let list: Promise<ReadonlySet<string>> | undefined;

/** Whether the password is among the 49,000 most common ones of the zxcvbn-ts project, in any letter case. The list is loaded at the first call. */
export async function isCommonPassword(password: string): Promise<boolean> {
  list ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']));
  return (await list).has(password.toLowerCase());
}
