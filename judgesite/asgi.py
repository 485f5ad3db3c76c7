"""The ASGI application the server runs."""

from __future__ import annotations

import os
import warnings

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "judgesite.settings")

# whitenoise hands a static file over as a plain iterator; three small files in one piece each need no better.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")

application = get_asgi_application()
