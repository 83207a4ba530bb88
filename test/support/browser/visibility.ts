import type { Page } from 'playwright-core';

/** Returns what is cut off: texts that reach over the window, or over something that hides what does not fit. */
export const severedParts = (page: Page): Promise<string[]> =>
  page.evaluate(`{
    const isBeyond = (box, frame) => box.right > frame.right + 1 || box.left < frame.left - 1;
    const isSevered = (element) => {
      const box = element.getBoundingClientRect();
      for (let each = element; each; each = each.parentElement) {
        const { overflowX } = getComputedStyle(each);
        if (overflowX === 'auto' || overflowX === 'scroll') return false;
        if (overflowX !== 'visible' && each.scrollWidth > each.clientWidth + 1) return true;
      }
      return isBeyond(box, { left: 0, right: innerWidth });
    };
    const hasText = ({ childNodes }) => [...childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim());
    [...document.body.querySelectorAll('*')]
      .filter((element) => hasText(element) && !element.closest('.unseen, .skip, title, option'))
      .filter((element) => element.checkVisibility() && isSevered(element))
      .map(({ outerHTML }) => outerHTML);
  }`);

/** Returns controls, marks and charts that do not stand out from the ground. */
export const invisibleParts = (page: Page): Promise<string[]> =>
  page.evaluate(`{
    const ground = getComputedStyle(document.body).backgroundColor;
    const stands = (color) => color !== ground && !/^rgba\\(.*, 0\\)$|^transparent$/.test(color);
    const hasEdge = (element) => {
      const { borderBottomWidth, borderBottomStyle, borderBottomColor } = getComputedStyle(element);
      return borderBottomWidth !== '0px' && borderBottomStyle !== 'none' && stands(borderBottomColor);
    };
    const hidden = (selector, isVisible) =>
      [...document.querySelectorAll(selector)].filter((element) => !isVisible(element)).map(({ outerHTML }) => outerHTML);
    [
      ...hidden('button, input:not([type=checkbox]), select, textarea, .tag, .table', hasEdge),
      ...hidden('a[aria-current]', (link) => stands(getComputedStyle(link).backgroundColor)),
      ...hidden('.chart rect:not(.ground)', (bar) => stands(getComputedStyle(bar).fill)),
      ...hidden('.key', (key) => stands(getComputedStyle(key, '::before').backgroundColor)),
    ];
  }`);
