import { describe, expect, it } from 'vitest';
import { html, textWithCode } from './html.js';

describe('an HTML fragment', () => {
  it('escapes every value', () => {
    const evil = `<script>alert("1 & '2'")</script>`;
    const escaped = '&#60;script&#62;alert(&#34;1 &#38; &#39;2&#39;&#34;)&#60;/script&#62;';
    expect(html`<a title="${evil}">${evil}</a>`.source).toBe(`<a title="${escaped}">${escaped}</a>`);
  });

  it('embeds other fragments unchanged, one or several', () => {
    const items = ['a', '<'].map((text) => html`<li>${text}</li>`);
    expect(html`${items}${html`<hr />`}${7}`.source).toBe('<li>a</li><li>&#60;</li><hr />7');
  });

  it('marks words between backticks as code', () => {
    expect(html`${textWithCode('say `<b>` & go')}`.source).toBe('say <code>&#60;b&#62;</code> &#38; go');
  });
});
