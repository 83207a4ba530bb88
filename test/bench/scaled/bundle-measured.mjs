// Bundles the parts of the service that the benchmark uses. Its processes import them from `built.mjs`.
import { bundle } from '../../../scripts/bundle.mjs';

await bundle('test/bench/scaled/measured.ts', 'dist/bench');
