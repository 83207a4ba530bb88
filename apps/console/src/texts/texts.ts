import { en, type Texts } from './en.js';

/** The texts in the language of the browser. Read them while rendering, not while a module loads. */
export let t: Texts = en;
/** A BCP 47 tag, for dates and numbers as well. */
export let language = 'en';

/** Chooses the first language of the browser that the console has. */
export async function chooseLanguage(): Promise<void> {
  const first = navigator.languages
    .map((tag) => tag.toLowerCase().split('-')[0])
    .find((tag) => tag === 'en' || tag === 'zh');
  if (first === 'zh') {
    ({ zhCn: t } = await import('./zh-cn.js'));
    language = 'zh-CN';
  }
  document.documentElement.lang = language;
}

/** Returns the word for a value of the service. A value that a newer service added stays as it is. */
export const wordOf = (words: Readonly<Record<string, string>>, value: string): string =>
  Object.hasOwn(words, value) ? words[value]! : value;
