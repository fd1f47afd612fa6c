// Builds the dependencies of `npm run test:cluster` that no package provides: the API server of Kubernetes, and cosign.

import { buildCosign, COSIGN } from './cosign.ts';
import { API_SERVER, buildApiServer } from './kube-apiserver.ts';

buildApiServer(console.log);
buildCosign(console.log);
console.log(`${API_SERVER}\n${COSIGN}`);
