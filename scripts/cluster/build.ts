// Builds what `npm run test:cluster` needs and no package has: the API server of Kubernetes, and cosign.

import { buildCosign, COSIGN } from './cosign.ts';
import { API_SERVER, buildApiServer } from './kube-apiserver.ts';

buildApiServer(console.log);
buildCosign(console.log);
console.log(`${API_SERVER}\n${COSIGN}`);
