import { Health } from '../health/health.js';
import { describe, expect, it } from 'vitest';
import { Metrics } from './metrics.js';
import { measureProcess } from './process-samples.js';

describe('a process', () => {
  it('says what it is, and has no store until a check finds one', async () => {
    const [metrics, health] = [new Metrics(), new Health()];
    measureProcess('worker', { metrics, health });
    const lines = async () => (await metrics.text()).text.split('\n').filter((line) => line.startsWith('keyfold_'));
    expect(await lines()).toEqual([
      expect.stringMatching(/^keyfold_build_info\{version="\d+\.\d+\.\d+[^"]*",process="worker"\} 1$/),
      'keyfold_store_available 0',
    ]);
    health.waitsFor('store', 'MongoDB is not available');
    expect(await lines()).toContain('keyfold_store_available 0');
    health.add('store', () => {});
    expect(await lines()).toContain('keyfold_store_available 1');
  });
});
